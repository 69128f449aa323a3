import TestSupport

@testable import CoreAPICore

/// Makes requests to loopback servers, and their channel.
struct Requests {
    var limits = Limits()
    var trust = ServerTrustManager.system
    var allowsInsecure = true
    var redaction = Redaction()
    var fieldsForOtherOrigins: Set<String> = []
    var timeout = Timeout(.seconds(60))
    let transport: CurlTransport

    /// - Parameters:
    ///   - transport: default one of its own, which is closed when the test ends.
    ///   - authority: the certificate, in PEM, of the only trusted authority.
    init(_ transport: CurlTransport = closing(CurlTransport()), trusting authority: String? = nil) {
        self.transport = transport
        if let authority { trust = ServerTrustManager(authorities: .pem(authority)) }
    }

    /// Requests to a server, whose authority they trust.
    init(_ transport: CurlTransport = closing(CurlTransport()), to server: LoopbackServer) {
        self.init(transport, trusting: server.tls?.authorityPEM)
    }

    func make(
        _ method: HTTPRequest.Method = .get, _ url: String, headers: HTTPFields = [:], body: Body = .none,
        timeout: Timeout? = nil
    ) throws -> Request {
        let environment = APIEnvironment(
            TestHost(name: "loopback", baseURL: url), serverTrustManager: trust, allowsInsecureConnections: allowsInsecure)
        var channel = Channel(name: "T", environment: environment, limits: limits, transport: transport)
        channel.redaction = redaction
        channel.fieldsForOtherOrigins = fieldsForOtherOrigins
        return Request(
            call: Call(channel: channel, endpoint: "test"), method: method, url: try HTTPURL(url), headers: headers, body: body,
            timeout: timeout ?? self.timeout)
    }

    func send(
        _ method: HTTPRequest.Method = .get, _ url: String, headers: HTTPFields = [:], body: Body = .none,
        timeout: Timeout? = nil
    ) async throws -> Response<Data> {
        await transport.send(try make(method, url, headers: headers, body: body, timeout: timeout))
    }
}

extension Transport {
    func send(_ request: Request) async -> Response<Data> {
        Response(unread: await Next(request.call.prepared.attemptChain, end: Pipeline.exchange)(Attempt(request)))
    }
}

extension Requests {
    /// Sends GETs, 200 at a time, and cancels every second one: half of those at once, the others a moment later.
    ///
    /// - Returns: how often each end came: `done`, or the label of an error.
    func cancelHalf(of count: Int, _ url: String) async -> [String: Int] {
        let ends = Shared<[String: Int]>([:])
        await each(of: count, atOnce: 200) { index in
            guard let request = try? make(.get, url) else { return }
            let task = Task { await transport.send(request) }
            if index.isMultiple(of: 2) {
                if index.isMultiple(of: 4) { await Task.yield() }
                task.cancel()
            }
            let end = await task.value.error?.label ?? "done"
            ends.change { $0[end, default: 0] += 1 }
        }
        return ends.current
    }
}

/// Runs `body` for 0 ..< `count`, `atOnce` at a time.
func each(of count: Int, atOnce: Int, _ body: @escaping @Sendable (Int) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            if index >= atOnce { await group.next() }
            group.addTask { await body(index) }
        }
    }
}

extension Body.Stream {
    /// One byte, before which `wait` blocks the loop's thread.
    static func oneByte(after wait: @escaping @Sendable () -> Void) -> Body.Stream {
        Body.Stream(length: 1) {
            let isSent = Shared(false)
            return { _ in
                guard !isSent.exchange(true) else { return Data() }
                wait()
                return Data("x".utf8)
            }
        }
    }
}

extension Limits {
    static func test(perHost: Int, connections: Int = 200, queued: Int = 100_000) -> Limits {
        var limits = Limits()
        (limits.connectionsPerHost, limits.connections, limits.queuedRequests) = (perHost, connections, queued)
        return limits
    }
}
