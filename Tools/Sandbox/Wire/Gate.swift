import Hummingbird

/// A rule that a request has to meet before its route, or the answer that there is none, is reached.
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
