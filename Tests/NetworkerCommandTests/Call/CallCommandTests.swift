import ArgumentParser
import Foundation
import HTTPTypes
import Testing

@testable import networker

@Suite("networker call")
struct CallCommandTests {
    @Test(
        "exits with 64 for an invalid command line, and states what was expected",
        arguments: [
            ("XX GET a", "expected TY, DL, ML, ID, HTTPBin"), ("TY G( a", "expected a token such as GET"),
            ("TY GET ../a", "'..' segments"), ("TY GET https://evil/", "may not be an absolute URL"),
            ("TY GET a novalue", "expected name=value"), ("TY GET a --header bad", "expected 'Name: value'"),
            ("TY GET a --environment moon", "expected production, staging or sandbox"),
            ("TY GET a --host ftp://x", "expected an http or https URL"), ("TY GET a --host https://x/?q", "without a query"),
            ("TY GET a --authority /nowhere", "expected a readable file"), ("TY GET a --reveal-secrets", "expected --curl"),
            ("TY POST a x=1 --data y", "expected one of them"), ("TY GET a --timeout 0", "expected a --timeout"),
        ])
    func usage(line: String, message: String) throws {
        do {
            _ = try CallCommand.parse(line.split(separator: " ").map(String.init))
            Issue.record("'\(line)' was understood")
        } catch {
            #expect(CallCommand.exitCode(for: error).rawValue == 64)
            #expect(CallCommand.fullMessage(for: error).contains(message))
        }
    }

    @Test(
        "accepts get for GET, and keeps other spellings", arguments: [("get", "GET"), ("POST", "POST"), ("Purge", "Purge")])
    func methods(text: String, method: String) throws {
        #expect(try CallCommand.parse(["ty", text, "a"]).method.rawValue == method)
    }

    @Test("accepts both --data and values if the values go into the query")
    func dataAndQuery() throws {
        let command = try CallCommand.parse(["TY", "DELETE", "a", "x=1", "--data", "y"])
        #expect(command.values.map(\.name) == ["x"])
        #expect(command.data?.bytes == Data("y".utf8))
    }
}
