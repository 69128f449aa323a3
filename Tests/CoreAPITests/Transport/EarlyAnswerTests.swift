import CoreAPITesting
import Foundation
import HTTPTypes
import Testing

@testable import CoreAPICore
@testable import CoreAPICurl

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A server may answer before it has the whole request. For HTTP/2 see `StreamEndTests` and `StreamingTests`.
@Suite("A response over HTTP/1.1 that comes early", .timeLimit(.minutes(2)))
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
        let transport = CurlTransport()
        defer { Task { await transport.close() } }
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
        let other = try LoopbackServer.start { _ in .ok("first") }
        defer { other.close() }
        let transport = CurlTransport(loops: LoopGroup(loops: 1))
        let requests = Requests(transport)
        #expect(try await requests.send(.post, other.url, body: .bytes(Data("small".utf8))).text == "first")
        let response = try await requests.send(
            .post, server.url, body: Upload.running.body, timeout: Timeout(.seconds(5)))
        #expect(response.error == nil && response.text == "enough", "\(response.result)")
        await transport.close()
    }

    @Test("is the response if its head came before the reset of a server that closes")
    func closed() async throws {
        let transport = CurlTransport()
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
        await transport.close()
    }

    @Test("and has no length ends with its connection")
    func withoutLength() async throws {
        let server = try EarlyServer(413, "too large", hasLength: false, then: .endsItsSide)
        let transport = CurlTransport()
        let response = try await Requests(transport).send(
            .post, server.url, body: Upload.paused.body, timeout: Timeout(.seconds(5)))
        #expect(response.status == 413 && response.text == "too large", "\(response.result)")
        await transport.close()
    }
}

/// Reads a part of each request and answers.
final class EarlyServer: Sendable {
    /// The number of body bytes that it reads first.
    static let part = 1 << 16

    /// Its treatment of the rest.
    enum Rest: CaseIterable {
        case readsOn, stopsReading, closes, endsItsSide
    }

    private let listener: Int32
    let url: String

    init(_ status: Int, _ text: String, hasLength: Bool = true, then rest: Rest) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard isReady else { throw POSIXError(.EADDRNOTAVAIL) }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        let fields = hasLength ? "Content-Length: \(text.utf8.count)\r\n" : "Connection: close\r\n"
        let answer = Array("HTTP/1.1 \(status) X\r\n\(fields)\r\n\(text)".utf8)
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                // A peer that has gone again, or a signal, is no end; after `shutdown` the error is EINVAL.
                guard connection >= 0 || errno == EINVAL else { continue }
                guard connection >= 0 else {
                    // Closed here: its number, given to the next server, would let this thread accept that server's connections.
                    close(listener)
                    return
                }
                Thread.detachNewThread { Self.serve(connection, answer, rest) }
            }
        }
    }

    deinit {
        // Ends the accepting thread; each connection ends with its peer.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func serve(_ connection: Int32, _ answer: [UInt8], _ rest: Rest) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        // Only the body contains zeros. A paused one is read to its last byte, so that `close` resets nothing.
        while count < part {
            let read = recv(connection, &buffer, buffer.count, 0)
            guard read > 0 else { break }
            count += buffer[..<read].count { $0 == 0 }
        }
        _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        switch rest {
        case .endsItsSide:
            shutdown(connection, Int32(SHUT_WR))
            while recv(connection, &buffer, buffer.count, 0) > 0 {}
        case .readsOn: while recv(connection, &buffer, buffer.count, 0) > 0 {}
        case .stopsReading:
            // POLLRDHUP: waits until the peer has left.
            var entry = pollfd(fd: connection, events: 0x2000, revents: 0)
            _ = poll(&entry, 1, 20_000)
        case .closes: break
        }
        close(connection)
    }
}
