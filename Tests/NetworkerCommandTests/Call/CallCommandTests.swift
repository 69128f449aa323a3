import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("networker call")
struct CallCommandTests {
    @Test(
        "exits with 64 for an invalid command line, and states what was expected",
        arguments: [
            ("", "expected an address, or a channel"), ("XX GET a", "expected TY, DL, ML, ID, HTTPBin"),
            ("XX", "unknown channel 'XX'"), ("TZ GET a", "unknown channel 'TZ'; did you mean 'TY'? Expected TY, DL, ML"),
            ("htpbin GET a", "did you mean 'HTTPBin'?"), ("docotr example.com", "did you mean 'doctor'?"),
            ("TY GET a --environment prodction", "did you mean 'production'? Expected production, staging or sandbox"),
            ("TY", "expected a method and a path after 'TY'"),
            ("TY GET", "expected a path after"),
            ("TY orders", "expected a method before the path, such as GET, got 'orders'"),
            ("TY search q=x", "expected a method before the path, such as GET, got 'search'"),
            ("GET TY orders", "the channel comes before the method; expected 'TY GET …'"),
            ("TY G( a", "expected a token such as GET"), ("TY GET ../a", "'..' segments"),
            ("TY GET https://evil/", "'TY' names its own host"), ("TY https://evil/", "'TY' names its own host"),
            ("https://user:x@evil/", "user"), ("https://exa mple", "expected"),
            ("ftp://example.com/a", "expected an http or https URL"),
            ("TY GET a novalue", "expected name=value"), ("TY GET a --header bad", "expected 'Name: value'"),
            ("TY GET a Content-Length:5", "the kit sends Content-Length itself"),
            ("TY GET a --environment moon", "expected production, staging or sandbox"),
            ("TY GET a --host ftp://x", "expected an http or https URL"), ("TY GET a --host https://x/?q", "without a query"),
            ("example.com --host https://x", "--host is for a channel"),
            ("example.com --environment staging", "--environment is for a channel"),
            ("TY GET a --authority /nowhere", "expected a readable file"), ("TY GET a --reveal-secrets", "expected --curl"),
            ("TY POST a x=1 --data y", "expected one of them"), ("TY GET a --timeout 0", "expected more than 0"),
            ("TY GET a --timeout -1", "expected more than 0"), ("TY GET a --timeout soon", "expected more than 0"),
            ("example.com GET a:=1", "expected name=value"), ("GET example.com a:=1", "values of a GET go into its query"),
            ("GET example.com a@b", "values of a GET go into its query"), ("GET example.com --form a=1", "--form needs a body"),
            ("POST example.com --multipart", "--multipart needs a body"),
            ("DELETE example.com --form --data a=1 b=2 c@d", "values of a DELETE go into its query"),
            ("example.com --form a:=[1]", "which a form cannot hold"), ("example.com a=@- b=@-", "standard input is read once"),
            ("example.com --form doc@-", "a form's file needs a path"),
            ("example.com --auth-type bearer", "expected --auth as well"),
            ("example.com -d a -d b", "--data is given twice"), ("ege:secret@example.com/x", "expected --auth user:password"),
            ("example.com --offline -o x", "--offline and --output exclude each other"),
            ("example.com -o /nowhere/at/all", "its folder does not exist"),
            ("example.com a@b", "add --form"), ("example.com --form a@/nowhere/x", "No such file or directory; expected"),
            ("example.com --data @/nowhere/x", "cannot read the body from '/nowhere/x': No such file or directory"),
            ("example.com X-A:1 -H X-A:2", "is given twice"), ("example.com --form --multipart", "got both"),
            ("example.com --repeat 0", "expected --repeat from 1"), ("example.com --repeat -3", "expected --repeat from 1"),
            ("example.com --at-a-time 3", "expected --repeat as well"), ("example.com --repeat 2 -o x", "expected no --output"),
            ("example.com --json --body", "--json and --body exclude each other"), ("example.com -k", "Unknown option '-k'"),
            ("example.com --retry 3", "Unknown option '--retry'"), ("example.com --print b", "Unknown option '--print'"),
            ("example.com -A x:secret", "Unknown option '-A'"), ("example.com -L", "Unknown option '-L'"),
            ("example.com -i", "Unknown option '-i'"), ("example.com -q", "Unknown option '-q'"),
            ("example.com --http2", "Unknown option '--http2'"), ("example.com -f a=1", "Unknown option '-f'"),
        ])
    func usage(line: String, message: String) throws {
        do {
            _ = try plan(line.split(separator: " ").map(String.init))
            Issue.record("'\(line)' was understood")
        } catch {
            #expect(CallCommand.exitCode(for: error).rawValue == 64)
            let text = CallCommand.fullMessage(for: error)
            #expect(text.contains(message), "\(text)")
            #expect(!text.contains("x:secret"))
        }
    }

    @Test(
        "accepts get for GET, and other methods in capital letters",
        arguments: [("get", "GET"), ("POST", "POST"), ("M-SEARCH", "M-SEARCH")])
    func methods(text: String, method: String) throws {
        #expect(try plan(["ty", text, "a"]).method.rawValue == method)
    }

    @Test("accepts both --data and values if the values go into the query")
    func dataAndQuery() async throws {
        let request = try await request(["TY", "DELETE", "a", "x=1", "--data", "y"])
        #expect(request.url.query == "x=1")
        #expect(try await request.body.collect(upTo: 10) == Data("y".utf8))
    }
}
