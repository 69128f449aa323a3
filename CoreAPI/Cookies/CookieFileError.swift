public import Foundation

/// Why a jar could not be saved or loaded. Says nothing of a cookie's value.
public enum CookieFileError: Error, Hashable, Sendable {
    /// The system said why.
    case unreadable(file: String, reason: String)
    /// The system said why.
    case unwritable(file: String, reason: String)
    /// What was expected, what came, and where in the file: `cookies[3].path`.
    case malformed(file: String, place: String, expected: String, got: String)
}

extension CookieFileError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unreadable(let file, let reason): "the cookies in \(file) cannot be read: \(reason)"
        case .unwritable(let file, let reason): "the cookies cannot be saved in \(file): \(reason)"
        case .malformed(let file, let place, let expected, let got):
            "the cookies in \(file) cannot be read: expected \(expected), got \(got), at \(place)"
        }
    }
}
