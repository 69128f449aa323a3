import TestSupport

@testable import CoreAPICore

/// One cell of the matrix: a fault, and its outcome for a client.
struct FaultCell: Sendable {
    let fault: Fault
    let version: ServerTLS.ApplicationProtocol
    /// Whether the request is a POST with a body; otherwise it is a GET.
    let posts: Bool
    let certificate: TestCertificate
    let authority: TestAuthority

    static let answer = String(repeating: "abcdefgh", count: 250)
    static let body = String(repeating: "12345678", count: 250)

    /// The outcome of the request with the fault; of one more request if the first one failed; and how often the server read
    /// the first one, if more than once.
    func outcome() async throws -> String {
        var tls = ServerTLS(certificate, authority: authority)
        tls.protocols = [version]
        let server = try LoopbackServer.start(tls: tls, faults: [fault]) { _ in .ok(Self.answer) }
        let transport = CurlTransport()
        var requests = Requests(transport, trusting: authority.pem)
        // A call that misses its end is ended by the total timeout, which is in no cell of the table.
        requests.timeout = Timeout(idle: .seconds(2), total: .seconds(60))
        let began = ContinuousClock.now
        let first = try await send(requests, "\(server.url)/first")
        // Whether bytes on a closing connection arrive depends on timing.
        if fault.trigger == .afterResponse, endsConnection { try await server.waitForOpenConnections(atMost: 0) }
        // Bytes on an idle connection are not read, so no signal shows that they have arrived.
        if fault.trigger == .afterResponse, fault.effect == .garble { try await Task.sleep(for: .milliseconds(100)) }
        let second = try await send(requests, "\(server.url)/second")
        let took = began.duration(to: .now)
        await transport.close()
        try await server.waitForOpenConnections(atMost: 0)
        let isLeft = transport.isRunning || transport.activeExchanges != 0 || transport.queuedExchanges != 0
        let times = server.requests.count { $0.path == "/first" && $0.error == nil }
        server.close()
        return [
            first, times < 2 ? nil : "\(times)×", second == "ok" ? nil : "then \(second)", isLeft ? "LEFT OPEN" : nil,
            fault.effect == .throttle && holdsUp && took < .milliseconds(30) ? "NOT THROTTLED" : nil,
        ].compactMap { $0 }.joined(separator: " ")
    }

    /// Whether the pause delays any bytes: a pause after the end of a stream does not.
    private var holdsUp: Bool { fault.trigger != .afterResponse || version != .http2 }

    private var endsConnection: Bool {
        switch fault.effect {
        case .close, .reset, .goAway, .handshakeFailure: true
        case .truncate, .resetStream: version == .http1
        case .stall, .garble, .throttle: false
        }
    }

    private func send(_ requests: Requests, _ url: String) async throws -> String {
        let response = try await requests.send(posts ? .post : .get, url, body: posts ? .bytes(Data(Self.body.utf8)) : .none)
        guard let error = response.error else { return response.text == Self.answer ? "ok" : "garbled" }
        guard let transport = response.transportError else { return error.label }
        if case .connectionLost(_, mayHaveBeenProcessed: true) = transport { return "lost, ambiguous" }
        return transport.label
    }
}
