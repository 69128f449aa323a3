import HTTPTypes
import Hummingbird

/// A channel's share of the server: its prefix and its routes. `<C>Channel` in `Channels/<C>/Sandbox/`; the plugin ListChannels
/// collects them in `everySandboxChannel`.
protocol SandboxChannel: Sendable {
    init(_ options: SandboxOptions)

    /// The first segment of the channel's paths.
    var prefix: String { get }

    /// The channel's routes, full paths included, and the rules before them. Called once, at start.
    func routes() -> Router<BasicRequestContext>
}

/// Hands a request to its channel by the first segment of its path.
///
/// Every channel has a router of its own, so that also what the router itself answers (an unknown path) passes the channel's
/// rules and leaves in the channel's envelope.
struct SandboxRouter: HTTPResponder {
    private let channels: [Substring: RouterResponder<BasicRequestContext>]
    private let own: RouterResponder<BasicRequestContext>

    init(channels: [any SandboxChannel]) {
        self.channels = Dictionary(
            channels.map { (Substring($0.prefix), $0.routes().buildResponder()) }, uniquingKeysWith: { first, _ in first })
        self.own = Router()
            .get("health") { _, _ in try Response.json(["status": "ok"]) }
            .buildResponder()
    }

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let prefix = request.uri.path.split(separator: "/", maxSplits: 1).first ?? ""
        let response = try await (channels[prefix] ?? own).respond(to: request, context: context)
        guard response.status == .notFound, channels[prefix] == nil else { return response }
        return try .json(["status": "not-found"], status: .notFound)
    }
}
