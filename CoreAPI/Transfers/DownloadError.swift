internal import CoreAPIHTTP
public import Foundation

/// A failure of a download outside its exchange: of the file, or of its digest.
///
/// ``/CoreAPI/APIClientError/unknown(_:_:)`` wraps the errors of a file, and ``/CoreAPI/APIClientError/verification(_:_:)`` that
/// of a digest.
public enum DownloadError: Error, Sendable, Hashable {
    /// The kit cannot write the file or its part: a folder, no permission, a full disk, a URL that names no local file. `code` is
    /// the system's `errno`.
    case cannotWrite(path: String, code: Int32, reason: String)
    /// Another download, perhaps of another process, writes this file.
    case busy(path: String)
    /// The digest of the bytes differs from the one that the server or the caller named. The bytes were removed.
    case digestMismatch(expected: String, found: String)

    init(_ failure: FileFailure) {
        self = .cannotWrite(path: failure.path, code: failure.code, reason: failure.reason)
    }
}

extension DownloadError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .cannotWrite(let path, _, let reason): "cannot write '\(path)': \(reason)"
        case .busy(let path): "another download writes '\(path)'"
        case .digestMismatch(let expected, let found): "the file is damaged: expected \(expected), found \(found)"
        }
    }
}
