import HTTPTypes
import Hummingbird

/// A channel's part of the server: its prefix and its routes. `<C>Channel` in `Channels/<C>/Sandbox/` implements it; the plugin
/// ListChannels collects all of them in `everySandboxChannel`.
protocol SandboxChannel: Sendable {
    init(_ options: SandboxOptions)

    /// The first segment of the channel's paths.
    var prefix: String { get }

    /// The channel's routes with full paths, and the rules before them. Called once, at the start.
    func routes() -> Router<BasicRequestContext>
}

/// Passes a request to its channel by the first segment of its path.
///
/// Every channel has its own router. So the router's own answer to an unknown path also follows the channel's rules and has the
/// channel's envelope.
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
