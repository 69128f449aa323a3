import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

/// A server may answer before it has the whole request. For HTTP/2 see `StreamEndTests` and `StreamingTests`.
@Suite("A response over HTTP/1.1 that comes early", .closing, .timeLimit(.minutes(2)))
struct EarlyAnswerTests {
    /// How the request's body continues after its first part.
    enum Upload: CaseIterable {
        /// No further part arrives for now.
        case paused, pausedWithoutLength
        case running

        var body: Body {
            switch self {
            case .paused: .stream(Body.Stream(length: 1 << 24, Self.first))
            case .pausedWithoutLength: .stream(Body.Stream(Self.first))
            case .running: .bytes(Data(count: 1 << 24))
            }
        }

        private static let first: @Sendable () -> AsyncStream<Data> = {
            AsyncStream { continuation in _ = continuation.yield(Data(count: EarlyServer.part)) }
        }
    }

    @Test(
        "is the response, whatever the server does with the rest of the request",
        arguments: Upload.allCases.flatMap { upload in EarlyServer.Rest.allCases.map { (upload, $0) } },
        [(413, "too large"), (401, ""), (200, "enough")])
    func answered(at: (Upload, EarlyServer.Rest), _ answer: (status: Int, text: String)) async throws {
        let server = try EarlyServer(answer.status, answer.text, then: at.1)
        let transport = closing(CurlTransport())
        let response = try await Requests(transport).send(
            .post, server.url, body: at.0.body, timeout: Timeout(idle: .seconds(20), total: .seconds(5)))
        // The reset of a server that closes with unread bytes may overtake its response (RFC 9112 §9.6).
        if at == (.running, .closes), case .connectionLost(_, mayHaveBeenProcessed: true) = response.transportError { return }
        #expect(response.error == nil && response.status == answer.status, "\(response.result)")
        #expect(response.text == answer.text)
    }

    @Test(
        "is the response on a handle that has sent before, too",
        arguments: [EarlyServer.Rest.readsOn, .stopsReading, .endsItsSide])
    func onUsedHandle(rest: EarlyServer.Rest) async throws {
        let server = try EarlyServer(200, "enough", then: rest)
        let other = try LoopbackServer.test { _ in .ok("first") }
        let requests = Requests(closing(CurlTransport(loops: LoopGroup(loops: 1))))
        #expect(try await requests.send(.post, other.url, body: .bytes(Data("small".utf8))).text == "first")
        let response = try await requests.send(.post, server.url, body: Upload.running.body, timeout: Timeout(.seconds(5)))
        #expect(response.error == nil && response.text == "enough", "\(response.result)")
    }

    @Test("is the response if its head came before the reset of a server that closes")
    func closed() async throws {
        let transport = closing(CurlTransport())
        var delivered = 0
        // The reset overtakes some responses, three of a hundred.
        for _ in 0..<30 {
            let server = try EarlyServer(200, "enough", then: .closes)
            let response = try await Requests(transport).send(
                .post, server.url, body: Upload.running.body, timeout: Timeout(.seconds(5)))
            if response.error == nil, response.text == "enough" { delivered += 1 }
            #expect(response.error == nil || response.status != 200, "the head came, and the response was lost")
        }
        #expect(delivered > 0)
    }

    @Test("and has no length ends with its connection")
    func withoutLength() async throws {
        let server = try EarlyServer(413, "too large", hasLength: false, then: .endsItsSide)
        let transport = closing(CurlTransport())
        let response = try await Requests(transport).send(
            .post, server.url, body: Upload.paused.body, timeout: Timeout(.seconds(5)))
        #expect(response.status == 413 && response.text == "too large", "\(response.result)")
    }
}

/// Reads a part of each request and answers.
final class EarlyServer: Sendable {
    /// The number of body bytes that it reads first.
    static let part = 1 << 16

    /// Its treatment of the rest.
    enum Rest: CaseIterable { case readsOn, stopsReading, closes, endsItsSide }

    private let server: RawServer
    var url: String { server.url }

    init(_ status: Int, _ text: String, hasLength: Bool = true, then rest: Rest) throws {
        let fields = hasLength ? "Content-Length: \(text.utf8.count)\r\n" : "Connection: close\r\n"
        server = try RawServer { connection in
            guard connection.head() != nil else { return }
            var count = 0
            // A paused body is read to its last byte, so that the end resets nothing.
            while count < Self.part, case let piece = connection.read(upTo: 4_096), !piece.isEmpty { count += piece.count }
            connection.send("HTTP/1.1 \(status) X\r\n\(fields)\r\n\(text)")
            switch rest {
            case .endsItsSide:
                connection.endSending()
                while !connection.read(upTo: 4_096).isEmpty {}
            case .readsOn: while !connection.read(upTo: 4_096).isEmpty {}
            case .stopsReading: connection.waitForEnd()
            case .closes: break
            }
        }
    }
}
