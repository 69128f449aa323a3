public import CoreAPI
public import Foundation
internal import HTTPTypes

/// Speaks for the instant delivery: the base of the ID features' interactors.
///
/// Not Sendable: an interactor belongs to the actor it was made on. Calls may be made from there, nothing blocks it.
open class IDNetworker<EndpointItem: Endpoint>: Networker {
    public var networkManager: NetworkManager<EndpointItem>

    /// Speaks through ``CoreAPI/Channel/id``, or through what a test put in its place.
    public init() {
        networkManager = NetworkManager(channel: .id)
    }
}

extension Channel {
    /// The instant delivery in production, in the session of `ID_SESSION_ID`.
    public static let id = Channel.id(.production)

    /// The instant delivery at one of its hosts. Every channel made here has connections of its own; keep it rather than make it anew.
    ///
    /// What may be repeated is, a checkout too: all its attempts carry one idempotency key, by which the server knows them as one.
    ///
    /// - Parameters:
    ///   - host: where to.
    ///   - credentials: `nil` for the host's usual ones, see ``IDCredentials/usual(for:)``.
    public static func id(_ host: IDHost, credentials: IDCredentials? = nil) -> Channel {
        var channel = Channel(name: "ID", environment: host.environment)
        channel.enhancers = [IDIdempotencyKey()]
        channel.interceptors = [IDAuthInterceptor(credentials: credentials ?? .usual(for: host)), RetryPolicy()]
        channel.errorFilter = .id
        channel.logger = IDLogger()
        return channel
    }
}

/// What the instant delivery says when something went wrong.
///
/// Arrives as ``CoreAPI/APIClientError/app(_:_:)``; `error.app(IDError.self)` gets it.
public struct IDError: Error, Hashable {
    /// Which error it is, for the program: `BASKET_EMPTY`.
    public let errorCode: String
    /// What a person may read.
    public let displayMessage: String
    /// The status line's.
    public let httpStatus: Int
}

extension IDError: LocalizedError {
    public var errorDescription: String? { "\(displayMessage) (\(errorCode), status \(httpStatus))" }
}

extension ErrorFilter {
    /// Turns the instant delivery's `"status": "ERROR"` into ``IDError``.
    public static let id = ErrorFilter.envelope(IDEnvelope.self) { envelope, head in
        guard envelope.status == "ERROR" else { return nil }
        return IDError(errorCode: envelope.errorCode, displayMessage: envelope.displayMessage ?? "", httpStatus: head.status.code)
    }
}

private struct IDEnvelope: Decodable {
    let status: String
    let errorCode: String
    let displayMessage: String?
}
