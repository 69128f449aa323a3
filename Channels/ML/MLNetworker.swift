public import CoreAPI
public import Foundation
internal import HTTPTypes

/// Speaks for the meal ordering: the base of the ML features' interactors.
///
/// Not Sendable: an interactor belongs to the actor it was made on. Calls may be made from there, nothing blocks it.
open class MLNetworker<EndpointItem: Endpoint>: Networker {
    public var networkManager: NetworkManager<EndpointItem>

    /// Speaks through ``CoreAPI/Channel/ml``, or through what a test put in its place.
    public init() {
        networkManager = NetworkManager(channel: .ml)
    }
}

extension Channel {
    /// The meal ordering in production, signing with `ML_KEY_ID` and `ML_SECRET`.
    public static let ml = Channel.ml(.production)

    /// The meal ordering at one of its hosts. Every channel made here has connections of its own; keep it rather than make it anew.
    ///
    /// - Parameters:
    ///   - host: where to.
    ///   - credentials: `nil` for the host's usual ones, see ``MLCredentials/usual(for:)``.
    ///   - now: the clock that signatures are dated by; may be called on any thread.
    public static func ml(
        _ host: MLHost, credentials: MLCredentials? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) -> Channel {
        var channel = Channel(name: "ML", environment: host.environment)
        channel.interceptors = [MLAuthInterceptor(credentials: credentials ?? .usual(for: host), now: now)]
        channel.errorFilter = .ml
        channel.logger = MLLogger()
        return channel
    }
}

/// What the meal ordering says when something went wrong.
///
/// Arrives as ``CoreAPI/APIClientError/app(_:_:)``; `error.app(MLError.self)` gets it.
public struct MLError: Error, Hashable {
    /// Which error it is, for the program: 1401 for a wrong signature.
    public let code: Int
    /// What a person may read.
    public let reason: String
    /// The status line's.
    public let httpStatus: Int
}

extension MLError: LocalizedError {
    public var errorDescription: String? { "\(reason) (\(code), status \(httpStatus))" }
}

extension ErrorFilter {
    /// Turns the meal ordering's fault into ``MLError``.
    public static let ml = ErrorFilter.envelope(MLEnvelope.self) { envelope, head in
        MLError(code: envelope.fault.code, reason: envelope.fault.reason, httpStatus: head.status.code)
    }
}

private struct MLEnvelope: Decodable {
    struct Fault: Decodable {
        let code: Int
        let reason: String
    }

    let fault: Fault
}
