import HTTPTypes

/// Makes each channel's part of the server.
let everySandboxChannel: [@Sendable (SandboxOptions) -> any SandboxChannel] = [
    { DLSandbox($0) }, { IDSandbox($0) }, { MLSandbox($0) }, { TYSandbox($0) },
]

/// A channel's part of the server: its prefix, its rule and its routes. `<C>Sandbox` in `Demo/Sandbox/<C>/` implements it.
protocol SandboxChannel: Sendable {
    /// The channel's errors.
    associatedtype Failure: ChannelFailure

    init(_ options: SandboxOptions)

    /// The first segment of the channel's paths.
    var prefix: String { get }

    /// Routes that any request may use.
    var openRoutes: [Route] { get }

    /// Throws if a request may not use ``routes``. It decides about unknown paths too.
    func admit(_ request: SandboxRequest) throws

    /// Routes for admitted requests.
    var routes: [Route] { get }
}

extension SandboxChannel {
    var openRoutes: [Route] { [] }

    /// Every error becomes the channel's own, in its envelope.
    func answer(to request: SandboxRequest) -> SandboxAnswer {
        do {
            if let answer = try openRoutes.answer(to: request) { return answer }
            try admit(request)
            guard let answer = try routes.answer(to: request) else { throw Mishap.unknownPath }
            return answer
        } catch {
            return Failure(error).answer
        }
    }
}

/// A method, a pattern of paths such as `dl/orders/:id`, and their handler.
struct Route: Sendable {
    typealias Handler = @Sendable (SandboxRequest) throws -> SandboxAnswer

    private let method: String
    private let pattern: [Substring]
    private let handler: Handler

    private init(_ method: String, _ pattern: String, _ handler: @escaping Handler) {
        self.method = method
        self.pattern = Substring(pattern).split(separator: "/")
        self.handler = handler
    }

    static func get(_ pattern: String, _ handler: @escaping Handler) -> Route { Route("GET", pattern, handler) }
    static func post(_ pattern: String, _ handler: @escaping Handler) -> Route { Route("POST", pattern, handler) }

    /// The handler's answer; nil if the request has another method or path.
    func answer(to request: SandboxRequest) throws -> SandboxAnswer? {
        let segments = request.segments
        guard request.method == method, segments.count == pattern.count else { return nil }
        var request = request
        for (expected, segment) in zip(pattern, segments) {
            if expected.hasPrefix(":") {
                request.parameters[String(expected.dropFirst())] = String(segment)
            } else if expected != segment {
                return nil
            }
        }
        return try handler(request)
    }
}

extension [Route] {
    /// The answer of the first route that matches.
    func answer(to request: SandboxRequest) throws -> SandboxAnswer? {
        for route in self {
            if let answer = try route.answer(to: request) { return answer }
        }
        return nil
    }
}

/// Passes a request to its channel by the first segment of its path.
struct SandboxRouter: Sendable {
    let channels: [any SandboxChannel]

    func answer(to request: SandboxRequest) -> SandboxAnswer {
        let prefix = request.segments.first ?? ""
        if let channel = channels.first(where: { $0.prefix == prefix }) { return channel.answer(to: request) }
        let answer = try? Self.health.answer(to: request) ?? .json(["status": "not-found"], status: .notFound)
        return answer ?? SandboxAnswer(status: .internalServerError)
    }

    private static let health = Route.get("health") { _ in try .json(["status": "ok"]) }
}
