public import CoreAPI
public import Foundation

/// The base class of the instant delivery's (ID) interactors: its `networkManager` sends over `Channel.id`.
open class IDNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { public init() { super.init(.id) } }

extension Channel {
    /// The instant delivery, with the session of `ID_SESSION_ID`.
    ///
    /// Calls are repeated if that is safe. That includes a checkout, because all its attempts have the same idempotency key.
    public static let id = Channel(
        "ID", "instant delivery",
        hosts: [
            .production: "https://api.instant.example",
            .staging: "https://api-staging.instant.example",
            .sandbox: .local("id"),
        ]
    )
    .credential(.header("x-session-id", .environment("ID_SESSION_ID", sandbox: "id-sandbox-session")))
    .with { channel in
        channel.interceptors.append(RetryPolicy())
        channel.enhancers = [IdempotencyKey()]
    }
    .payload(error: IDEnvelope.self) { envelope, head in
        guard envelope.status == "ERROR" else { return nil }
        return IDError(errorCode: envelope.errorCode, displayMessage: envelope.displayMessage ?? "", httpStatus: head.status.code)
    }
}

/// The instant delivery's error. `error.app(IDError.self)` returns it.
public struct IDError: LocalizedError, Hashable {
    /// The error's code, for the program: `BASKET_EMPTY`.
    public let errorCode: String
    /// The message, for people.
    public let displayMessage: String
    /// The status line's code.
    public let httpStatus: Int

    public var errorDescription: String? { "\(displayMessage) (\(errorCode), status \(httpStatus))" }
}

private struct IDEnvelope: Decodable {
    let status: String
    let errorCode: String
    let displayMessage: String?
}
