internal import CoreAPIBase
public import Foundation

/// Why a download failed that is no failure of its exchange: the file, or its digest.
///
/// ``/CoreAPI/APIClientError/unknown(_:_:)`` has the errors of a file, and ``/CoreAPI/APIClientError/verification(_:_:)`` has
/// that of a digest.
public enum DownloadError: Error, Sendable, Hashable {
    /// The file, or the part beside it, cannot be written: a folder, no permission, a full disk. `code` is the system's `errno`.
    case cannotWrite(path: String, code: Int32, reason: String)
    /// Another download, perhaps of another process, writes this file.
    case busy(path: String)
    /// The bytes have another digest than the server or the caller named. They were removed.
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
