public import CoreAPI
public import Foundation

/// Speaks to GIPHY (https://developers.giphy.com/docs/api): a public service as a channel.
///
/// Not Sendable: an interactor belongs to the actor it was made on.
open class GIPHYNetworker<EndpointItem: Endpoint>: Networker {
    public var networkManager: NetworkManager<EndpointItem>

    /// Speaks through ``CoreAPI/Channel/giphy``, or through what a test put in its place.
    public init() {
        networkManager = NetworkManager(channel: .giphy)
    }
}

/// GIPHY has one host.
public enum GIPHYHost: String, CaseIterable, EnvironmentType {
    case production

    public var baseURL: String { "https://api.giphy.com/v1/gifs" }
}

extension Channel {
    /// GIPHY, with the key of ``GIPHYMissingKey/variable``.
    public static let giphy = Channel.giphy(apiKey: ProcessInfo.processInfo.environment[GIPHYMissingKey.variable])

    /// GIPHY.
    ///
    /// - Parameter apiKey: sent with every request as `api_key`; without one every call fails with ``GIPHYMissingKey``.
    public static func giphy(apiKey: String?) -> Channel {
        var channel = Channel(name: "GIPHY", environment: Environment(GIPHYHost.production))
        if let apiKey, !apiKey.isEmpty {
            channel.modifiers = [QueryItem("api_key", apiKey)]
        } else {
            channel.interceptors = [GIPHYKeyCheck()]
        }
        channel.errorFilter = .giphy
        channel.logger = CoreNetworkLogger(subsystem: "networkerkit", category: "GIPHY")
        return channel
    }
}

/// Refuses to send what GIPHY would refuse to answer.
private struct GIPHYKeyCheck: RequestInterceptor {
    func adapt(_ request: inout Request) async throws { throw GIPHYMissingKey() }
}

/// There is no API key.
public struct GIPHYMissingKey: Error, Hashable, LocalizedError {
    /// The environment variable that was expected.
    public static let variable = "GIPHY_API_KEY"

    public var errorDescription: String? {
        "expected GIPHY's API key in the environment variable \(Self.variable), or in Channel.giphy(apiKey:)"
    }
}

/// What GIPHY says when something went wrong: the `meta` of its answer.
///
/// Arrives as ``CoreAPI/APIClientError/app(_:_:)``; `error.app(GIPHYError.self)` gets it.
public struct GIPHYError: Error, Hashable, LocalizedError {
    /// As the status line says it, repeated in the body.
    public let status: Int
    public let message: String

    public var errorDescription: String? { "\(message) (status \(status))" }
}

extension ErrorFilter {
    /// Turns an answer whose `meta` names no success into ``GIPHYError``.
    public static let giphy = ErrorFilter.envelope(GIPHYEnvelope.self) { envelope, _ in
        (200..<300).contains(envelope.meta.status) ? nil : GIPHYError(status: envelope.meta.status, message: envelope.meta.msg)
    }
}

private struct GIPHYEnvelope: Decodable {
    struct Meta: Decodable {
        let status: Int
        let msg: String
    }

    let meta: Meta
}
