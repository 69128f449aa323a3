import HTTPTypes

/// An error in one channel's envelope. Each channel has its own type, because each has its own envelope.
protocol ChannelFailure: Error {
    associatedtype Body: Encodable

    var status: HTTPResponse.Status { get }

    /// The content of the body.
    var body: Body { get }

    /// The channel's error for a failure that any channel can have.
    init(_ mishap: Mishap)
}

/// A failure that any channel can have, outside its own rules.
enum Mishap: Error {
    case unknownPath
    case malformedBody
    case bodyTooLarge
    case unexpected
}

extension ChannelFailure {
    /// The failure of any error that the channel's rules and routes throw.
    init(_ error: any Error) {
        switch error {
        case let failure as Self: self = failure
        case let mishap as Mishap: self.init(mishap)
        case is DecodingError: self.init(.malformedBody)
        default: self.init(.unexpected)
        }
    }

    var answer: SandboxAnswer {
        (try? .json(body, status: status)) ?? SandboxAnswer(status: .internalServerError)
    }
}
