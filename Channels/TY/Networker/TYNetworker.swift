public import CoreAPI
public import Foundation

/// The base class of the marketplace's (TY) interactors: its `networkManager` sends over `Channel.ty`.
open class TYNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { public init() { super.init(.ty) } }

extension Channel {
    /// The marketplace, in Turkish, with the API key of `TY_API_KEY`.
    public static let ty = Channel(
        "TY", "marketplace",
        hosts: [
            .production: "https://api.marketplace.example",
            .staging: "https://api-staging.marketplace.example",
            .sandbox: .local("ty"),
        ]
    )
    .credential(.header("x-api-key", .environment("TY_API_KEY", sandbox: "ty-sandbox-key")))
    .payload("result", error: TYEnvelope.self) { $0.isSuccess ? nil : TYError($0, $1) }
    .tyLocale(Locale(identifier: "tr_TR"))

    /// The marketplace in another language; an endpoint's own headers override it.
    public func tyLocale(_ locale: Locale) -> Channel { self.locale(locale, icu: "x-locale", bcp47: "x-culture") }
}

/// The marketplace's error, which may come with any status. `error.app(TYError.self)` returns it.
public struct TYError: LocalizedError, Hashable {
    /// The error's code, for the program: `product-not-found`.
    public let code: String
    /// The message, for people, in the language of the request.
    public let message: String
    /// The status in the envelope.
    public let statusCode: Int
    /// The status line's code, which may be 200 in spite of the error.
    public let httpStatus: Int

    fileprivate init(_ envelope: TYEnvelope, _ head: ResponseHead) {
        code = envelope.error?.code ?? "unnamed"
        message = envelope.error?.message ?? "the marketplace gave no reason"
        statusCode = envelope.statusCode ?? head.status.code
        httpStatus = head.status.code
    }

    public var errorDescription: String? { "\(message) (\(code), status \(statusCode) in an HTTP \(httpStatus))" }
}

private struct TYEnvelope: Decodable {
    let isSuccess: Bool
    let statusCode: Int?
    let error: Failure?

    struct Failure: Decodable {
        let code: String
        let message: String?
    }
}
