public import CoreAPI
public import Foundation
internal import HTTPTypes

/// Speaks for the second-hand shop: the base of the DL features' interactors.
///
/// Not Sendable: an interactor belongs to the actor it was made on. Calls may be made from there, nothing blocks it.
open class DLNetworker<EndpointItem: Endpoint>: Networker {
    public var networkManager: NetworkManager<EndpointItem>

    /// Speaks through ``CoreAPI/Channel/dl``, or through what a test put in its place.
    public init() {
        networkManager = NetworkManager(channel: .dl)
    }
}

extension Channel {
    /// The second-hand shop in production, with the tokens of `DL_REFRESH_TOKEN` and `DL_ACCESS_TOKEN`.
    public static let dl = Channel.dl(.production)

    /// The second-hand shop at one of its hosts. Every channel made here has connections and a token of its own; keep it rather than
    /// make it anew.
    ///
    /// - Parameters:
    ///   - host: where to.
    ///   - credentials: `nil` for the host's usual ones, see ``DLCredentials/usual(for:)``.
    public static func dl(_ host: DLHost, credentials: DLCredentials? = nil) -> Channel {
        var channel = Channel(name: "DL", environment: host.environment)
        channel.attemptMiddleware = [DLAuthInterceptor(credentials: credentials ?? .usual(for: host))]
        channel.errorFilter = .dl
        channel.logger = DLLogger()
        return channel
    }
}

/// What the second-hand shop says when something went wrong.
///
/// Arrives as ``CoreAPI/APIClientError/app(_:_:)``; `error.app(DLError.self)` gets it.
public struct DLError: Error, Hashable {
    /// One thing that is wrong.
    public struct Entry: Decodable, Sendable, Hashable {
        /// Which error it is, for the program: `order.not-found`.
        public let key: String
        /// What a person may read.
        public let message: String
    }

    /// What is wrong, at least one thing.
    public let errors: [Entry]
    /// The status line's.
    public let httpStatus: Int

    /// The first error's key.
    public var key: String { errors.first?.key ?? "" }
    /// The first error's message.
    public var message: String { errors.first?.message ?? "" }
}

extension DLError: LocalizedError {
    public var errorDescription: String? {
        errors.map { "\($0.message) (\($0.key))" }.joined(separator: ", ") + ", status \(httpStatus)"
    }
}

extension ErrorFilter {
    /// Turns the second-hand shop's list of errors into ``DLError``.
    public static let dl = ErrorFilter.envelope(DLEnvelope.self) { envelope, head in
        envelope.errors.isEmpty ? nil : DLError(errors: envelope.errors, httpStatus: head.status.code)
    }
}

private struct DLEnvelope: Decodable {
    let errors: [DLError.Entry]
}
