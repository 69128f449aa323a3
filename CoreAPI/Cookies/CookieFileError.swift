public import Foundation

extension CookieJar {
    /// Why a jar could not be saved or loaded. Never contains a cookie's value.
    public enum FileError: Error, Hashable, Sendable {
        /// `reason` is the system's.
        case unreadable(file: String, reason: String)
        /// `reason` is the system's.
        case unwritable(file: String, reason: String)
        /// What was expected, what was found, and where in the file: `cookies[3].path`.
        case malformed(file: String, path: String, expected: String, got: String)
    }
}

extension CookieJar.FileError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unreadable(let file, let reason): "the cookies in \(file) cannot be read: \(reason)"
        case .unwritable(let file, let reason): "the cookies cannot be saved in \(file): \(reason)"
        case .malformed(let file, let path, let expected, let got):
            "the cookies in \(file) cannot be read: expected \(expected), got \(got), at \(path)"
        }
    }
}
