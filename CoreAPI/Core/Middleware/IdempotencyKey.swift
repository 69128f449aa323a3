public import Foundation
internal import HTTPTypes

/// Gives every POST a key, unless its caller has set one (draft-ietf-httpapi-idempotency-key-header): `channel.enhancers =
/// [IdempotencyKey()]`. With the key a server recognises a repetition, and ``RetryPolicy`` repeats the call.
///
/// It is an enhancer, not an interceptor, because all attempts of a call must have the same key.
public struct IdempotencyKey: RequestEnhancer {
    /// It only enhances.
    public var stages: Set<Stage.Kind> { [.enhance] }
    private let header: String
    private let makeKey: @Sendable () -> String

    /// Makes an enhancer.
    ///
    /// - Parameters:
    ///   - header: the header's name. A call with a header of this name may be repeated.
    ///   - makeKey: makes a unique key; a random UUID by default. Called once per call, on any thread.
    public init(
        header: String = "Idempotency-Key", makeKey: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }
    ) {
        self.header = header
        self.makeKey = makeKey
    }

    // At `.normal`, after the kit's own enhancers, which set the caller's headers.
    public func enhance(_ request: inout Request) throws {
        request.call[IdempotencyHeader.self] = header
        guard request.method == .post, !request.hasHeader(header) else { return }
        try request.setOwnHeader(header, makeKey())
    }
}

/// The name by which the call's server knows the key.
private enum IdempotencyHeader: Call.Key {
    static let defaultValue = "Idempotency-Key"
}

extension Request {
    /// Whether the server can recognise a repetition (draft-ietf-httpapi-idempotency-key-header).
    var hasIdempotencyKey: Bool { hasHeader(IdempotencyHeader.defaultValue) || hasHeader(call[IdempotencyHeader.self]) }

    fileprivate func hasHeader(_ name: String) -> Bool {
        let name = name.lowercased()
        return headers.contains { $0.name.canonicalName == name }
    }
}
