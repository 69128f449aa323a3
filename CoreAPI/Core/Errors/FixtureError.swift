public import Foundation

/// Why a fixture could not answer.
public enum FixtureError: Error, Sendable {
    /// No folder or file has this name.
    case notFound(name: String, searched: [String], available: [String])
    /// A file that is no fixture; `line` is the first line that is wrong.
    case unreadable(file: String, line: Int, reason: String)
    /// No fixture matches the request.
    case unmatched(request: String, available: [String], nearest: String?)
}

extension FixtureError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .notFound(let name, let searched, let available):
            "no fixtures named '\(name)' in \(searched.joined(separator: ", ")); available: "
                + (available.isEmpty ? "none" : available.joined(separator: ", "))
        case .unreadable(let file, let line, let reason): "the fixture \(file), line \(line), cannot be read: \(reason)"
        case .unmatched(let request, let available, let nearest):
            "no fixture answers \(request)" + (nearest.map { "; the nearest is \($0)" } ?? "") + "; available: "
                + (available.isEmpty ? "none" : available.joined(separator: ", "))
        }
    }
}
