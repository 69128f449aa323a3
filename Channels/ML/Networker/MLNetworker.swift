public import CoreAPI
public import Foundation

/// The base class of the meal ordering's (ML) interactors: its `networkManager` sends over `Channel.ml`.
open class MLNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { public init() { super.init(.ml) } }

extension Channel {
    /// The meal ordering, signing with `ML_KEY_ID` and `ML_SECRET`.
    public static let ml = Channel(
        "ML", "meal ordering",
        hosts: [
            .production: "https://api.meals.example",
            .staging: "https://api-staging.meals.example",
            .sandbox: .local("ml"),
        ]
    )
    .with { $0.attemptMiddleware = [mlSigning()] }
    .payload(error: MLEnvelope.self) { envelope, head in
        MLError(code: envelope.fault.code, reason: envelope.fault.reason, httpStatus: head.status.code)
    }

    /// HMAC-SHA256 (RFC 2104) over method, path and query as sent, date, and the SHA-256 of the body, joined by line feeds.
    package static func mlSigning(now: @escaping @Sendable () -> Date = { Date() }) -> RequestSigning {
        RequestSigning { request in
            guard let keyID = try Credential.environment("ML_KEY_ID", sandbox: "ml-sandbox").value(for: request.call),
                let secret = try Credential.environment("ML_SECRET", sandbox: "ml-sandbox-secret").value(for: request.call)
            else { return }
            let date = now().formatted(.iso8601)
            let digest = ContentDigest(.sha256, of: try request.body.bytesInMemory()).hexadecimal
            let code = RequestSigning.hmacSHA256("\(request.method)\n\(request.url.target)\n\(date)\n\(digest)", key: secret)
            try request.setHeader("x-ml-key-id", keyID)
            try request.setHeader("x-ml-date", date)
            try request.setHeader("x-ml-signature", code.base64EncodedString())
        }
    }
}

/// The meal ordering's error. `error.app(MLError.self)` returns it.
public struct MLError: LocalizedError, Hashable {
    /// The error's code, for the program: 1401 for a wrong signature.
    public let code: Int
    /// The message, for people.
    public let reason: String
    /// The status line's code.
    public let httpStatus: Int

    public var errorDescription: String? { "\(reason) (\(code), status \(httpStatus))" }
}

private struct MLEnvelope: Decodable {
    let fault: Fault

    struct Fault: Decodable {
        let code: Int
        let reason: String
    }
}
