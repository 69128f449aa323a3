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
    /// GIPHY, with the key of the environment variable `GIPHY_API_KEY`.
    public static let giphy = Channel.giphy(apiKey: Credential(variable: "GIPHY_API_KEY"))

    /// GIPHY.
    ///
    /// - Parameter apiKey: sent with every request as `api_key`; without one every call fails with ``CoreAPI/MissingCredential``.
    public static func giphy(apiKey: Credential) -> Channel {
        var channel = Channel(name: "GIPHY", environment: APIEnvironment(GIPHYHost.production))
        if let key = apiKey.revealed { channel.modifiers = [QueryItem("api_key", key)] }
        channel.enhancers = [GIPHYKeyCheck(apiKey: apiKey)]
        channel.errorFilter = .giphy
        channel.logger = CoreNetworkLogger(subsystem: "networkerkit", category: "GIPHY")
        return channel
    }
}

/// Refuses to send what GIPHY would refuse to answer.
private struct GIPHYKeyCheck: RequestEnhancer {
    let apiKey: Credential

    func enhance(_ request: inout Request) throws { _ = try apiKey.value(for: request.call) }
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
