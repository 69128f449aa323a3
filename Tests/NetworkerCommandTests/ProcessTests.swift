import CoreAPITesting
import Foundation
import Programs
import Testing

@Suite("The command in a separate process")
struct ProcessTests {
    /// Runs the built command from the folder of the test bundle.
    private func run(_ arguments: [String], environment: [String: String]) async throws -> Program.Outcome {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let command = tests.deletingLastPathComponent().appendingPathComponent("networker-of-tests").path
        return try await Program.run([command] + arguments, environment: environment, capturesErrors: true)
    }

    /// A name server that does not answer; the dynamic linker loads it instead of the system's.
    private func slowResolver() async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("slow-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let source = folder.appendingPathComponent("slow.c")
        try Data(
            """
            #include <unistd.h>
            int getaddrinfo(const char *a, const char *b, const void *c, void **d) { sleep(20); return -3; }
            """.utf8
        ).write(to: source)
        let library = folder.appendingPathComponent("slow.so").path
        try #require(try await Program.run(["clang", "-shared", "-fPIC", "-o", library, source.path]).status == 0)
        return library
    }

    @Test("ends on time although a name server does not answer")
    func slowNameServer() async throws {
        let library = try await slowResolver()
        defer { try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: library).deletingLastPathComponent().path) }
        let start = ContinuousClock.now
        let result = try await run(
            ["call", "HTTPBin", "GET", "get", "--host", "http://slow.example", "--timeout", "1"],
            environment: ["LD_PRELOAD": library, "HOME": "/tmp"])
        #expect(result.status == 1)
        #expect(result.text.contains("within 1.0 seconds"), "\(result.text)")
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("uses the environment's proxy, except for the hosts in no_proxy")
    func proxy() async throws {
        let proxy = try LoopbackServer.start { _ in .ok("from the proxy") }
        let server = try LoopbackServer.start { _ in .ok("from the server") }
        defer {
            proxy.close()
            server.close()
        }
        let environment = ["http_proxy": proxy.url, "no_proxy": "127.0.0.1", "HOME": "/tmp"]
        let outside = try await run(
            ["call", "HTTPBin", "GET", "get", "--host", "http://unreachable.invalid"], environment: environment)
        #expect(outside.status == 0, "\(outside.text)")
        #expect(outside.text.contains("from the proxy"))
        #expect(proxy.requests.map(\.target) == ["http://unreachable.invalid/get"])
        let inside = try await run(["call", "HTTPBin", "GET", "get", "--host", server.url], environment: environment)
        #expect(inside.text.contains("from the server"), "\(inside.text)")
        #expect(proxy.requests.count == 1)
    }

    @Test(
        "names the failed proxy and its variable",
        arguments: [
            ("http", "http_proxy"), ("http", "ALL_PROXY"), ("https", "https_proxy"), ("https", "HTTPS_PROXY"),
            ("https", "all_proxy"),
        ])
    func failingProxy(scheme: String, variable: String) async throws {
        let asking = try LoopbackServer.start { _ in .status(407, headers: ["Proxy-Authenticate": "Basic realm=\"p\""]) }
        let refusing = try LoopbackServer.start { _ in .status(403, body: Data("no".utf8)) }
        let gone = try LoopbackServer.start { _ in .ok() }
        let goneHost = gone.url.dropFirst("http://".count)
        gone.close()
        func failure(of proxy: String) async throws -> String {
            let call = ["call", "HTTPBin", "GET", "get", "--host", "\(scheme)://unreachable.invalid"]
            let outcome = try await run(call, environment: [variable: proxy, "HOME": "/tmp"])
            #expect(outcome.status == 1, "\(outcome.text)")
            #expect(!outcome.text.contains("planted"), "\(outcome.text)")
            return outcome.text
        }
        let address = asking.url.replacingOccurrences(of: "http://", with: "http://user:planted@")
        let asked = try await failure(of: address)
        #expect(
            asked.contains("the proxy '\(asking.url.dropFirst("http://".count))' (from \(variable)) failed")
                && asked.contains("407"), "\(asked)")
        let unreachable = try await failure(of: "http://user:planted@\(goneHost)")
        #expect(unreachable.contains("the proxy '\(goneHost)' (from \(variable)) failed"), "\(unreachable)")
        #expect(try await failure(of: "proxy.invalid:3128").contains("the proxy 'proxy.invalid:3128' (from \(variable)) failed"))
        if scheme == "https" {
            #expect(try await failure(of: refusing.url).contains("it answered CONNECT with 403"))
        }
    }
}
