public import CoreAPI
public import Foundation
internal import HTTPTypes

/// Gives every POST an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), unless the caller has set one. With it a
/// repetition places no second order.
///
/// It is an enhancer, not an interceptor, because all attempts of a call must have the same key.
public struct IDIdempotencyKey: RequestEnhancer {
    /// The header's name.
    public static let header = "Idempotency-Key"

    public var stages: Set<Stage.Kind> { [.enhance] }

    private let makeKey: @Sendable () -> String

    /// - Parameter makeKey: makes a unique key; a random UUID by default. Called once per call, on any thread.
    public init(makeKey: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }) {
        self.makeKey = makeKey
    }

    // At `.normal`, after the kit's own enhancers, which set the caller's headers.
    public func enhance(_ request: inout Request) throws {
        let isKeyed = request.headers.contains { $0.name.canonicalName == Self.header.lowercased() }
        guard request.method == .post, !isKeyed else { return }
        try request.setHeader(Self.header, makeKey())
    }
}
