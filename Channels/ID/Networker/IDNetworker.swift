public import CoreAPI
public import Foundation

/// Speaks for the instant delivery: the base of the ID features' interactors.
open class IDNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> {
    public init() { super.init(.id) }
}

extension Channel {
    /// The instant delivery, in the session of `ID_SESSION_ID`.
    ///
    /// Its calls are repeated where that is safe, a checkout too: all attempts carry one idempotency key.
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
        channel.enhancers = [IDIdempotencyKey()]
    }
    .payload(error: IDEnvelope.self) { envelope, head in
        guard envelope.status == "ERROR" else { return nil }
        return IDError(errorCode: envelope.errorCode, displayMessage: envelope.displayMessage ?? "", httpStatus: head.status.code)
    }
}

/// The instant delivery's error. `error.app(IDError.self)` gets it.
public struct IDError: LocalizedError, Hashable {
    /// Which error it is, for the program: `BASKET_EMPTY`.
    public let errorCode: String
    /// For people.
    public let displayMessage: String
    /// The status line's.
    public let httpStatus: Int

    public var errorDescription: String? { "\(displayMessage) (\(errorCode), status \(httpStatus))" }
}

private struct IDEnvelope: Decodable {
    let status: String
    let errorCode: String
    let displayMessage: String?
}
