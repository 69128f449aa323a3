import TestSupport

@testable import CoreAPICore

/// A server that sends forever, faster than its client reads.
@Suite("A flood over HTTP/2", .closing, .serialized)
struct FloodTests {
    enum Flood: String, CaseIterable {
        case interimHeads, data, settings, ping, resets, unknownFrames

        /// A megabyte of frames of one kind.
        func frames(stream: UInt32) -> Data {
            switch self {
            // ":status: 103" as a literal that is not indexed, with its name from the static table (RFC 7541 §6.2.2).
            case .interimHeads: repeated(kind: 1, flags: 4, stream, [0x08, 3] + "103".utf8)
            case .data: repeated(kind: 0, flags: 0, stream, [])
            case .settings: repeated(kind: 4, flags: 0, 0, [])
            case .ping: repeated(kind: 6, flags: 0, 0, [UInt8](repeating: 7, count: 8))
            case .resets: repeated(kind: 3, flags: 0, stream, [0, 0, 0, 8])
            case .unknownFrames: repeated(kind: 0xEE, flags: 0, 0, [])
            }
        }

        private func repeated(kind: UInt8, flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> Data {
            var frames = Frames.frame(kind, flags, stream, Data(payload))
            // Doubled, because a loop over a million bytes takes a second without optimisation.
            while frames.count < 1 << 20 { frames.append(frames) }
            return frames
        }
    }

    private let transport = closing(CurlTransport())

    @Test(
        "in place of a response, or on a cancelled stream, ends by timeout, and the next connection works",
        arguments: Flood.allCases, [true, false])
    func abandoned(flood: Flood, isCancelled: Bool) async throws {
        let flooding = try Gate()
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            guard request.connection == 0, request.exchange == 0 else { return .ok("fine") }
            return [.open(flooding), .sendEndlessly(flood.frames(stream: 1))]
        }
        let requests = Requests(transport, to: server)
        let clock = ContinuousClock()
        let start = clock.now
        let first = Task { try await requests.send(.get, server.url, timeout: Timeout(.seconds(isCancelled ? 120 : 1))) }
        try await flooding.waitUntilOpen(timeout: .seconds(5))
        if isCancelled { first.cancel() }
        #expect(try await first.value.error != nil)
        // The first of these may still use the flooded connection; its own timeout ends it.
        var outcomes: [String] = []
        for _ in 0..<3 {
            let response = try await requests.send(.get, server.url, timeout: Timeout(.seconds(1)))
            outcomes.append(response.transportError?.label ?? response.text)
        }
        #expect(outcomes.contains("fine"), "\(outcomes)")
        #expect(clock.now - start < .seconds(60))
    }

    @Test(
        "does not affect other hosts' answers, for any number of requests that wait for the flood's end", arguments: [1, 64, 600])
    func others(waiting: Int) async throws {
        let flooding = try Gate()
        let frames = Flood.unknownFrames.frames(stream: 1)
        let hostile = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            request.exchange == 0 ? [.open(flooding), .sendEndlessly(frames)] : .stallBeforeHead
        }
        let sound = try LoopbackServer.start { _ in .ok("fine") }
        let requests = Requests(transport, to: hostile)
        let flooded = (0..<waiting).map { _ in
            Task { try await requests.send(.get, hostile.url, timeout: Timeout(.seconds(3))) }
        }
        try await flooding.waitUntilOpen(timeout: .seconds(5))
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<20 { #expect(try await requests.send(.get, sound.url).text == "fine") }
        for flooded in flooded { #expect(try await flooded.value.transportError?.label == "timedOut.total") }
        #expect(clock.now - start < .seconds(30))
    }
}
