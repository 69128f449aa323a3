internal import CoreAPIHTTP
public import Foundation

/// Why a complete response was rejected.
public enum VerificationError: Error, Sendable {
    /// A verifier of the request does not accept the status.
    case unacceptableStatus(Int, expected: String)
    /// A value of this type needs a body, and the response has none.
    case emptyBody(status: Int, expected: String)
    /// A verifier of the request does not accept the `Content-Type`, which is `nil` if the response has no such field.
    case unacceptableContentType(String?, expected: [String])
    /// A custom verifier rejected the response.
    case custom(any Error)

    /// A name for metrics.
    public var label: String {
        switch self {
        case .unacceptableStatus(let code, _): "unacceptableStatus.\(code)"
        case .emptyBody: "emptyBody"
        case .unacceptableContentType: "unacceptableContentType"
        case .custom: "custom"
        }
    }
}

extension VerificationError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unacceptableStatus(let code, let expected):
            "expected \(Int(expected) == nil ? "a status in" : "the status") \(expected), got \(code)"
        case .emptyBody(let status, let expected): "expected a body to make \(expected) from, got none with status \(status)"
        case .unacceptableContentType(let type, let expected):
            "expected a body of \(expected.joined(separator: " or ")), got \(type ?? "one without Content-Type")"
        case .custom(let error): error.readableDescription
        }
    }
}
