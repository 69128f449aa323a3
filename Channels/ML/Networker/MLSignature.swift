public import CoreAPI
internal import CoreAPIHash
public import Foundation
internal import HTTPTypes

/// Signs every request for the meal ordering: HMAC-SHA256 (RFC 2104) over method, path and query as sent, date, and the SHA-256
/// of the body, joined by line feeds.
///
/// It wraps each attempt and hop, because a signature expires after five minutes and a redirect has another path. It has no
/// mutable state.
public struct MLSignature: Middleware {
    private static let keyID = Credential.environment("ML_KEY_ID", sandbox: "ml-sandbox")
    private static let secret = Credential.environment("ML_SECRET", sandbox: "ml-sandbox-secret")

    private let now: @Sendable () -> Date

    /// - Parameter now: the clock for the signatures' dates; called on any thread.
    public init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }

    public func handle(_ attempt: Attempt, next: Next) async -> Reply {
        guard attempt.request.goesToEnvironment() else { return await next(attempt) }
        do {
            return await next(try attempt.with(sign))
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
    }

    /// - Throws: ``CoreAPI/MissingCredential`` without a key, ``MLSigningError`` for a request that cannot be signed.
    private func sign(_ request: inout Request) throws {
        guard let keyID = try Self.keyID.value(for: request.call),
            let secret = try Self.secret.value(for: request.call)
        else { return }
        let date = now().formatted(.iso8601)
        let signature = try Self.signature(
            method: request.method, target: request.url.target, date: date, body: request.body, secret: secret)
        try request.setHeader("x-ml-key-id", keyID)
        try request.setHeader("x-ml-date", date)
        try request.setHeader("x-ml-signature", signature)
    }

    private static func signature(
        method: HTTPRequest.Method, target: String, date: String, body: Body, secret: String
    ) throws(MLSigningError) -> String {
        let bytes: Data
        switch body {
        case .none: bytes = Data()
        case .bytes(let data): bytes = data
        case .file: throw .bodyNotInMemory("a file")
        case .stream: throw .bodyNotInMemory("a stream")
        }
        let signed = [method.rawValue, target, date, SHA256.hash(bytes).hexadecimal].joined(separator: "\n")
        return Data(HMAC.sha256(signed.utf8, key: Array(secret.utf8))).base64EncodedString()
    }
}

/// The reason why a request cannot be signed.
public enum MLSigningError: Error, Hashable, LocalizedError {
    /// The body's hash is known only after it was sent.
    case bodyNotInMemory(String)

    public var errorDescription: String? {
        switch self {
        case .bodyNotInMemory(let kind):
            "the signature covers the body, which is \(kind) and cannot be signed; expected no body or one in memory"
        }
    }
}
