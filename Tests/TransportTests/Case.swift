import TestSupport

/// One behaviour of every transport that has the needed capabilities.
struct Case: Sendable {
    let name: String
    let needs: Set<Need>
    let script: Script
    let run: @Sendable (Stage) async throws -> Void

    enum Script: Sendable {
        case answers(Answers)
        /// The server on loopback, for behaviour that answers in memory do not have.
        case server(@Sendable (Scene) -> ServerReply)
    }

    init(
        _ name: String, needs: Set<Need> = [], _ answers: @escaping Answers,
        run: @escaping @Sendable (Stage) async throws -> Void
    ) {
        (self.name, self.needs, self.run) = (name, needs, run)
        script = .answers(answers)
    }

    init(
        _ name: String, needs: Set<Need> = [], server reply: @escaping @Sendable (Scene) -> ServerReply,
        run: @escaping @Sendable (Stage) async throws -> Void
    ) {
        (self.name, self.needs, self.run) = (name, needs.union([.sockets]), run)
        script = .server(reply)
    }

    init(_ name: String, needs: Set<Need> = [], _ answer: Answer, run: @escaping @Sendable (Stage) async throws -> Void) {
        self.init(name, needs: needs, { _, _ in answer }, run: run)
    }

    init(_ name: String, needs: Set<Need> = [], _ reply: ServerReply, run: @escaping @Sendable (Stage) async throws -> Void) {
        self.init(name, needs: needs, server: { _ in reply }, run: run)
    }

    static let all: [Case] =
        methods + bodies + heads + statuses + redirects + cookies + codings + timeouts + cancellation + faults + streaming + hooks
}

struct Scene: Sendable {
    let request: ReceivedRequest
    let number: Int
    let gate: Gate
}

/// Answers a request; `number` counts the case's requests from 0.
typealias Answers = @Sendable (_ request: Seen, _ number: Int) -> Answer

struct Answer: Sendable {
    let status: Int
    let headers: Headers
    let body: Data
    let delay: Duration

    init(_ status: Int = 200, _ headers: Headers = [:], body: String = "", delay: Duration = .zero) {
        self.init(status, headers, body: Data(body.utf8), delay: delay)
    }

    init(_ status: Int = 200, _ headers: Headers = [:], body: Data, delay: Duration = .zero) {
        (self.status, self.headers, self.body, self.delay) = (status, headers, body, delay)
    }

    var reply: ServerReply {
        let lines = HeaderLines(headers.elements.map { HeaderLines.Line(name: $0.name, value: $0.value) })
        let reply = ServerReply.status(status, body: body, headers: lines)
        return delay == .zero ? reply : reply.after(.wait(delay))
    }
}

struct Seen: Sendable {
    let method: String
    let target: String
    let headers: HeaderLines
    let body: Data

    init(_ request: ReceivedRequest) {
        (method, target, headers, body) = (request.method, request.target, request.headers, request.body)
    }

    init(_ request: Request) async throws {
        method = request.method.rawValue
        target = request.url.target
        headers = HeaderLines(request.headers.map { HeaderLines.Line(name: $0.name.rawName, value: $0.value) })
        body = try await request.body.collect(upTo: 16 << 20)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// The environment of a case: a channel with one transport, and its answers.
final class Stage: Sendable {
    let channel: Channel
    let server: LoopbackServer?
    /// The base URL of another host with the same answers.
    let other: String
    /// Shared by the case and its server.
    let gate: Gate
    private let otherServer: LoopbackServer?
    private let seen: Record

    private final class Record: Sendable {
        let requests = Mutex<[Seen]>([])
        let first = Promise<Void>()

        func add(_ request: Seen) -> Int {
            let number = requests.withLock { requests in
                requests.append(request)
                return requests.count - 1
            }
            first.fulfil(.success(()))
            return number
        }
    }

    private static let tls = Result { try ServerTLS() }

    init(_ subject: Subject, _ script: Case.Script) throws {
        let (seen, gate) = (Record(), try Gate())
        var limits = Limits()
        limits.responseBodySize = 4 << 20
        let base: String
        let transport: any Transport
        var trust = ServerTrustManager.system
        if let connect = subject.connect {
            let tls = subject.isSecure ? try Self.tls.get() : nil
            func start() throws -> LoopbackServer {
                switch script {
                case .answers(let answers):
                    try .start(tls: tls) { request in
                        let request = Seen(request)
                        return answers(request, seen.add(request)).reply
                    }
                case .server(let reply):
                    try .start(tls: tls) { reply(Scene(request: $0, number: seen.add(Seen($0)), gate: gate)) }
                }
            }
            let (first, second) = (try start(), try start())
            (server, otherServer, base, other) = (first, second, first.url, second.url)
            if let tls { trust.authorities = .pem(tls.authorityPEM) }
            transport = connect(limits)
        } else {
            guard case .answers(let answers) = script else { preconditionFailure("no server for \(subject.name)") }
            (server, otherServer, base, other) = (nil, nil, "https://here.example", "https://there.example")
            transport = subject.answering { request in answers(request, seen.add(request)) }
        }
        (self.seen, self.gate) = (seen, gate)
        channel = Channel(
            name: "test",
            environment: APIEnvironment(
                TestHost(baseURL: base), serverTrustManager: trust, allowsInsecureConnections: !subject.isSecure),
            limits: limits, transport: transport)
    }

    var requests: [Seen] { seen.requests.withLock { $0 } }

    func waitForRequest() async throws { try await seen.first.value(until: .now + .seconds(10)) { CocoaError(.userCancelled) } }

    func close() async {
        await channel.close()
        server?.close()
        otherServer?.close()
    }

    /// Sends a request over a channel that is changed for it; its body is sent unchanged.
    func send<Value: Sendable>(
        _ method: HTTPRequest.Method = .get, _ path: String = "thing", headers: Headers = [:], body: Body = .none,
        timeout: Timeout = Timeout(.seconds(20)), as decoding: ResponseDecoding<Value>,
        over change: (inout Channel) -> Void = { _ in }
    ) async -> Response<Value> {
        var channel = channel
        change(&channel)
        let endpoint = TypedEndpoint(
            method, path, params: body.isEmpty ? nil : ["": ""], encoding: .asItIs(body), headers: headers, modifiers: [timeout],
            name: "thing")
        return await channel.manager.response(for: endpoint, as: decoding)
    }

    func send(
        _ method: HTTPRequest.Method = .get, _ path: String = "thing", headers: Headers = [:], body: Body = .none,
        timeout: Timeout = Timeout(.seconds(20)), over change: (inout Channel) -> Void = { _ in }
    ) async -> Response<Data> {
        await send(method, path, headers: headers, body: body, timeout: timeout, as: .data, over: change)
    }
}

extension InputEncoding {
    /// Sets the body and no media type.
    static func asItIs(_ body: Body) -> InputEncoding { InputEncoding("as it is") { _, request in request.body = body } }
}
