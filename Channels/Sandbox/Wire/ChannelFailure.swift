import HTTPTypes
import Hummingbird

/// An error in one channel's envelope. Each channel has its own type, because each has its own envelope. ``Envelope`` converts
/// all other thrown errors into it.
protocol ChannelFailure: HTTPResponseError {
    associatedtype Body: Encodable

    /// The content of the body.
    var body: Body { get }

    /// The channel's error for a failure that any channel can have.
    init(_ mishap: Mishap)
}

/// A failure that any channel can have, outside its own rules.
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

/// Converts all errors of a channel's rules, routes and router into the channel's envelope.
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
