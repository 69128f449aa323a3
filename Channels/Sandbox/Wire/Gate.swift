import Hummingbird

/// A rule that a request must meet before it reaches its route or the answer for an unknown path.
struct Gate: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// Throws the channel's failure when the request does not meet the rule. It may read the body, hence `inout`.
    let admit: @Sendable (inout Request) async throws -> Void

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var request = request
        try await admit(&request)
        return try await next(request, context)
    }
}
