import HTTPTypes
import Hummingbird

/// An error as one channel tells it to its clients. Each channel has one type of its own, because each has an envelope of
/// its own; ``Envelope`` turns everything else that is thrown into it.
protocol ChannelFailure: HTTPResponseError {
    associatedtype Body: Encodable

    /// What stands in the body.
    var body: Body { get }

    /// The channel's words for what can go wrong in any channel.
    init(_ mishap: Mishap)
}

/// What can go wrong in any channel, outside its own rules.
enum Mishap: Sendable {
    case unknownPath
    case malformedBody
    case bodyTooLarge
    case unexpected
}

extension ChannelFailure {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        try .json(body, status: status)
    }
}

/// Puts whatever a channel's rules, routes and router throw into the channel's envelope.
struct Envelope<Failure: ChannelFailure>: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let failure as Failure {
            throw failure
        } catch is DecodingError {
            throw Failure(.malformedBody)
        } catch let error as any HTTPResponseError {
            switch error.status {
            case .notFound: throw Failure(.unknownPath)
            case .contentTooLarge: throw Failure(.bodyTooLarge)
            default: throw Failure(.unexpected)
            }
        } catch {
            throw Failure(.unexpected)
        }
    }
}
