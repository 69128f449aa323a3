public import CoreAPIHTTP
public import Foundation

/// Signs each request as it is sent: every attempt and every hop of a redirect anew, because a redirect has another address and a
/// later attempt another time. Only requests to the origin of the call's environment, or to one that you name, are signed,
/// because a redirect may lead to another server. It has no state.
///
/// ```swift
/// channel.attemptMiddleware = [
///     RequestSigning { request in
///         let digest = ContentDigest(.sha256, of: try request.body.bytesInMemory()).hexadecimal
///         let code = RequestSigning.hmacSHA256("\(request.method)\n\(request.url.target)\n\(digest)", key: secret)
///         try request.setHeader("X-Signature", code.base64EncodedString())
///     }
/// ]
/// ```
public struct RequestSigning: Middleware {
    private let origins: [String]
    private let sign: @Sendable (_ request: inout Request) throws -> Void

    /// Makes a middleware, which signs requests to further origins, too, as in `https://files.example.com`. `sign` adds the
    /// signature to the request; it is called once for each request that is sent, on any thread, and must not wait. An error that
    /// it throws fails the attempt with ``APIClientError/adapting(_:_:)``, and nothing is sent.
    public init(origins: [String] = [], _ sign: @escaping @Sendable (_ request: inout Request) throws -> Void) {
        (self.origins, self.sign) = (origins, sign)
    }

    /// The authentication code HMAC-SHA256 of a text (RFC 2104), 32 bytes; both it and the shared secret in UTF-8.
    public static func hmacSHA256(_ text: String, key: String) -> Data { Data(HMAC.sha256(text.utf8, key: Array(key.utf8))) }

    public func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        guard attempt.request.goesToEnvironment(or: origins) else { return await next(attempt) }
        do {
            return await next(try attempt.with(sign))
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
    }
}

extension Body {
    /// The body's bytes, for a signature or a digest that is sent before them; no bytes without a body. Throws
    /// ``BodyError/notInMemory(_:)`` for a file or a stream.
    public func bytesInMemory() throws(BodyError) -> Data {
        switch self {
        case .none: Data()
        case .bytes(let data): data
        case .file: throw .notInMemory(.file)
        case .stream: throw .notInMemory(.stream)
        }
    }
}
