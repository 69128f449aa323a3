import CoreAPI
import CoreAPITesting
import Foundation
import HTTPTypes
import Testing

@testable import CoreAPICore

/// Servers whose answers are legal, or nearly, and do harm.
@Suite("Hostile answers", .timeLimit(.minutes(2)))
struct HostileAnswerTests {
    private func channel(_ server: LoopbackServer, loops: LoopGroup = .shared, name: String = "test") throws -> Channel {
        var channel = Channel.test(server.url, name: name, transport: CurlTransport(loops: loops))
        if let tls = server.tls {
            channel.environment.serverTrustManager = ServerTrustManager(authorities: .pem(tls.authorityPEM))
        }
        return channel
    }

    @Test("an endless answer in chunks of one byte does not delay another channel of its loop", arguments: [false, true])
    func pieces(isSecure: Bool) async throws {
        let flooding = try Gate()
        let pieces = Data(repeatElement(Array("1\r\na\r\n".utf8), count: 100_000).joined())
        let hostile = try LoopbackServer.start(tls: isSecure ? ServerTLS(protocols: [.http1]) : nil) { _ in
            [
                .sendHead(status: 200, headers: ["Transfer-Encoding": "chunked"]), .open(flooding), .sendEndlessly(pieces),
            ]
        }
        let server = try LoopbackServer.start { _ in .ok("x") }
        let loops = LoopGroup(loops: 1)
        let attacked = try channel(hostile, loops: loops)
        let neighbour = try channel(server, loops: loops, name: "neighbour")
        let attack = Task { await attacked.manager().response(for: TestEndpoint(), as: .data) }
        try await flooding.waitUntilOpen()
        let began = ContinuousClock.now
        for _ in 0..<20 { #expect(try await neighbour.manager().response(for: TestEndpoint(), as: .text).value == "x") }
        #expect(began.duration(to: .now) < .seconds(5))
        attack.cancel()
        #expect(await attack.value.error != nil)
        await attacked.close()
        await neighbour.close()
        await loops.shutdown()
    }
}
