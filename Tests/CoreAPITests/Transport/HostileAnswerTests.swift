import TestSupport

@testable import CoreAPICore

/// Servers whose answers are legal, or nearly, and do harm.
@Suite("Hostile answers", .closing, .timeLimit(.minutes(2)))
struct HostileAnswerTests {
    private func channel(_ server: LoopbackServer, loops: LoopGroup = .shared, name: String = "test") -> Channel {
        .test(server, name: name, transport: CurlTransport(loops: loops))
    }

    @Test("an endless answer in chunks of one byte does not delay another channel of its loop", arguments: [false, true])
    func pieces(isSecure: Bool) async throws {
        let flooding = try Gate()
        let pieces = Data(repeatElement(Array("1\r\na\r\n".utf8), count: 100_000).joined())
        let hostile = try LoopbackServer.start(tls: isSecure ? ServerTLS(protocols: [.http1]) : nil) { _ in
            [.sendHead(status: 200, headers: ["Transfer-Encoding": "chunked"]), .open(flooding), .sendEndlessly(pieces)]
        }
        let server = try LoopbackServer.start { _ in .ok("x") }
        let loops = closing(LoopGroup(loops: 1))
        let attacked = channel(hostile, loops: loops)
        let neighbour = channel(server, loops: loops, name: "neighbour")
        let attack = Task { await attacked.manager.response(for: TestEndpoint(), as: .data) }
        try await flooding.waitUntilOpen()
        let began = ContinuousClock.now
        for _ in 0..<20 { #expect(try await neighbour.manager.response(for: TestEndpoint(), as: .text).value == "x") }
        #expect(began.duration(to: .now) < .seconds(20))
        attack.cancel()
        #expect(await attack.value.error != nil)
    }

    @Test(
        "TLS's close_notify without the end of the connection ends every unfinished HTTP/2 stream at once",
        arguments: [HTTPRequest.Method.get, .post], [false, true])
    func closedByTLSAlone(method: HTTPRequest.Method, isAnnounced: Bool) async throws {
        let hasHalf = try Gate()
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2])) { request in
            guard request.connection == 0, request.exchange > 0 else { return .ok("fine") }
            switch request.exchange {
            case 1...4: return [.stall]
            case 5: return [.sendHead(status: 200), .sendBody(Data("half".utf8)), .open(hasHalf), .stall]
            default:
                let end: [ServerReply.Step] = isAnnounced ? [.complete, .goAway(), .closeTLS] : [.complete, .closeTLS]
                return ServerReply([.waitFor(hasHalf)] + ServerReply.ok("last").steps + end + [.stall])
            }
        }
        let manager = server.manager
        let endpoint = TestEndpoint("thing", method, modifiers: [Timeout(idle: .seconds(60))])
        #expect(try await manager.response(for: endpoint, as: .text).value == "fine")
        let began = ContinuousClock.now
        let outcomes = await atOnce(6) {
            let response = await manager.response(for: endpoint, as: .text)
            return response.error?.label ?? response.text
        }
        #expect(began.duration(to: .now) < .seconds(30))
        let unanswered = method == .get ? "fine" : "transport.connectionLost"
        #expect(outcomes.sorted() == (["last", "transport.truncated"] + Array(repeating: unanswered, count: 4)).sorted())
    }

    @Test(
        "a stream that is reset after its response began names the reset as the cause",
        arguments: [HTTPRequest.Method.get, .post],
        [(0, "NO_ERROR"), (2, "INTERNAL_ERROR"), (7, "REFUSED_STREAM"), (8, "CANCEL")] as [(UInt32, String)])
    func resetAfterHead(method: HTTPRequest.Method, code: (number: UInt32, name: String)) async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2])) { request in
            let stream = UInt32(2 * request.exchange + 1)
            // ":status: 200" of the static table (RFC 7541 §A).
            let frames =
                Frames.head(stream, Data([0x88]), ends: false) + Frames.frame(0, 0, stream, Data("half".utf8))
                + Frames.frame(3, 0, stream, Data([0, 0, 0, UInt8(code.number)]))
            return [.send(frames), .stall]
        }
        let endpoint = TestEndpoint("thing", method, modifiers: [Timeout(idle: .seconds(20))])
        let response = await server.manager.response(for: endpoint, as: .text)
        switch response.error {
        case .transport(.truncated, _): #expect(response.head?.status == 200)
        case .transport(.connectionLost(let reason, let mayHaveBeenProcessed), _):
            #expect(reason.contains(code.name) && reason.contains("answer"), "\(reason)")
            #expect(mayHaveBeenProcessed == (method == .post))
        default: Issue.record("\(response.result)")
        }
    }

    @Test(
        "a head's line and a chunk's size that arrive byte by byte count as no progress, and the error says so",
        arguments: [true, false])
    func trickle(isHead: Bool) async throws {
        let bytes = Data((isHead ? "HTTP/1.1 200 OK\r\nX: " : "1;").utf8) + Data(repeating: UInt8(ascii: "a"), count: 200)
        let server = try LoopbackServer.test { _ in
            let head: [ServerReply.Step] =
                isHead ? [] : [.sendHead(status: 200, headers: ["Transfer-Encoding": "chunked"])]
            return ServerReply(head + bytes.flatMap { [.send(Data([$0])), .wait(.milliseconds(50))] })
        }
        let endpoint = TestEndpoint(modifiers: [Timeout(idle: .milliseconds(500), total: .seconds(60))])
        let response = await server.manager.response(for: endpoint, as: .text)
        #expect(response.error?.label == "transport.timedOut.idle", "\(response.result)")
        let text = response.error.map { "\($0)" } ?? ""
        #expect(text.contains("no byte of a body and no whole line of a head sent or received for 0.5 seconds"), "\(text)")
    }
}
