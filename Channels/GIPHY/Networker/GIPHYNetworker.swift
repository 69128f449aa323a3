public import CoreAPI
public import Foundation

/// The base class of the interactors for GIPHY (https://developers.giphy.com/docs/api), a public service. Its `networkManager`
/// sends over `Channel.giphy`.
open class GIPHYNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { public init() { super.init(.giphy) } }

extension Channel {
    /// GIPHY, with the key of `GIPHY_API_KEY`.
    public static let giphy = Channel("GIPHY", "animated pictures", hosts: [.production: "https://api.giphy.com/v1/gifs"])
        .credential(.query("api_key", .environment("GIPHY_API_KEY")))
        .payload(error: GIPHYEnvelope.self) { envelope, _ in
            (200..<300).contains(envelope.meta.status)
                ? nil : GIPHYError(status: envelope.meta.status, message: envelope.meta.msg)
        }
}

/// GIPHY's error: the `meta` of its response. `error.app(GIPHYError.self)` returns it.
public struct GIPHYError: LocalizedError, Hashable {
    /// The status code, which the body repeats.
    public let status: Int
    public let message: String

    public var errorDescription: String? { "\(message) (status \(status))" }
}

private struct GIPHYEnvelope: Decodable {
    let meta: Meta

    struct Meta: Decodable {
        let status: Int
        let msg: String
    }
}
