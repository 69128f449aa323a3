import CoreAPITesting
import Foundation
import Testing

@Suite("The command in a process of its own")
struct ProxyTests {
    /// Runs the built command; it lies beside the test bundle.
    private func run(_ arguments: [String], environment: [String: String]) throws -> (status: Int32, output: String) {
        let command = Process()
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        command.executableURL = tests.deletingLastPathComponent().appendingPathComponent("networker")
        command.arguments = arguments
        command.environment = environment
        let pipe = Pipe()
        command.standardOutput = pipe
        command.standardError = pipe
        try command.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        command.waitUntilExit()
        return (command.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("goes through the proxy that the environment names, and not for the hosts that need none")
    func proxy() throws {
        let proxy = try LoopbackServer.start { _ in .ok("from the proxy") }
        let server = try LoopbackServer.start { _ in .ok("from the server") }
        defer {
            proxy.close()
            server.close()
        }
        let environment = ["http_proxy": proxy.url, "no_proxy": "127.0.0.1", "HOME": "/tmp"]
        let outside = try run(
            ["call", "HTTPBin", "GET", "get", "--host", "http://unreachable.invalid"], environment: environment)
        #expect(outside.status == 0, "\(outside.output)")
        #expect(outside.output.contains("from the proxy"))
        #expect(proxy.requests.map(\.target) == ["http://unreachable.invalid/get"])
        let inside = try run(["call", "HTTPBin", "GET", "get", "--host", server.url], environment: environment)
        #expect(inside.output.contains("from the server"), "\(inside.output)")
        #expect(proxy.requests.count == 1)
    }
}
