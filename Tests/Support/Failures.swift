public import CoreAPI
internal import Foundation

extension Response {
    public var status: Int? { head?.status.code }
    public var text: String { String(decoding: data, as: UTF8.self) }
    public var transportError: TransportError? { error?.transport }
}

extension APIClientError {
    public var transport: TransportError? { if case .transport(let error, _) = self { error } else { nil } }
    public var decoding: DecodingFailure? { if case .decoding(let failure, _) = self { failure } else { nil } }
    public var rejection: (any Error)? { if case .verification(.custom(let error), _) = self { error } else { nil } }
}

extension TransportError: Equatable {
    /// Compares cases and values as they print: an error inside has no equality.
    public static func == (one: TransportError, other: TransportError) -> Bool {
        String(reflecting: one) == String(reflecting: other)
    }

    public var bodyError: (any Error)? { if case .bodyUnreadable(let error) = self { error } else { nil } }

    /// Whether the server may have processed the request of a lost connection; `nil` for other errors.
    public var mayHaveBeenProcessed: Bool? { if case .connectionLost(_, let may) = self { may } else { nil } }
}

/// The error of an operation; `nil` without one.
public func failure<Value>(of operation: () async throws -> Value) async -> APIClientError? {
    do {
        _ = try await operation()
        return nil
    } catch { return error as? APIClientError }
}
