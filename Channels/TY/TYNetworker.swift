public import CoreAPI
public import Foundation
internal import HTTPTypes

/// Speaks for the marketplace: the base of the TY features' interactors.
///
/// Not Sendable: an interactor belongs to the actor it was made on. Calls may be made from there, nothing blocks it.
open class TYNetworker<EndpointItem: Endpoint>: Networker {
    public var networkManager: NetworkManager<EndpointItem>

    /// Speaks through ``CoreAPI/Channel/ty``, or through what a test put in its place.
    public init() {
        networkManager = NetworkManager(channel: .ty)
    }
}

extension Channel {
    /// The marketplace in production, in Turkish, with the API key of `TY_API_KEY`.
    public static let ty = Channel.ty(.production)

    /// The marketplace at one of its hosts. Every channel made here has connections of its own; keep it rather than make it anew.
    ///
    /// - Parameters:
    ///   - host: where to.
    ///   - credentials: `nil` for the host's usual ones, see ``TYCredentials/usual(for:)``.
    ///   - locale: names the language and country of answers, sent as `x-locale` (`tr_TR`) and `x-culture` (`tr-TR`). An endpoint's
    ///     own headers win.
    public static func ty(
        _ host: TYHost, credentials: TYCredentials? = nil, locale: Locale = Locale(identifier: "tr_TR")
    ) -> Channel {
        var channel = Channel(name: "TY", environment: host.environment)
        channel.environment.commonHeaders["x-locale"] = locale.identifier(.icu)
        channel.environment.commonHeaders["x-culture"] = locale.identifier(.bcp47)
        channel.interceptors = [TYAuthInterceptor(credentials: credentials ?? .usual(for: host))]
        channel.errorFilter = .ty
        channel.logger = TYLogger()
        return channel
    }
}

/// What an answer of the marketplace holds when it went well: the value, in the envelope's `result`.
public struct TYResult<Value: Decodable & Sendable>: Decodable, Sendable {
    public let result: Value
}

/// What the marketplace says when something went wrong, whatever the status line says.
///
/// Arrives as ``CoreAPI/APIClientError/app(_:_:)``; `error.app(TYError.self)` gets it.
public struct TYError: Error, Hashable {
    /// Which error it is, for the program: `product-not-found`.
    public let code: String
    /// What a person may read, in the language of the request.
    public let message: String
    /// The status that the envelope names.
    public let statusCode: Int
    /// The status line's, which may be 200 all the same.
    public let httpStatus: Int
}

extension TYError: LocalizedError {
    public var errorDescription: String? { "\(message) (\(code), status \(statusCode) in an HTTP \(httpStatus))" }
}

extension ErrorFilter {
    /// Turns the marketplace's envelope into ``TYError`` wherever it says that it failed, in a 200 too.
    public static let ty = ErrorFilter.envelope(TYEnvelope.self) { envelope, head in
        guard !envelope.isSuccess else { return nil }
        return TYError(
            code: envelope.error?.code ?? "unnamed", message: envelope.error?.message ?? "the marketplace gave no reason",
            statusCode: envelope.statusCode ?? head.status.code, httpStatus: head.status.code)
    }
}

/// The envelope without its result, which only the caller knows how to read.
private struct TYEnvelope: Decodable {
    struct Failure: Decodable {
        let code: String
        let message: String?
    }

    let isSuccess: Bool
    let statusCode: Int?
    let error: Failure?
}
