import Hummingbird

/// A rule that a request must meet before its route, or the answer for an unknown path.
struct Gate: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// Throws the channel's failure if the request violates the rule. `inout`, because it may read the body.
    let admit: @Sendable (inout Request) async throws -> Void

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var request = request
        try await admit(&request)
        return try await next(request, context)
    }
}
