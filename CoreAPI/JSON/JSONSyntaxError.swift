package import Foundation

/// Invalid JSON, or a number that its type cannot hold.
///
/// Becomes a `DecodingError` only when the decode ends, as in Foundation. A type that catches `DecodingError` while it is decoded
/// must see the same errors from both.
package struct JSONSyntaxError: Error {
    /// What was expected, and what was found.
    let reason: String
    /// The byte offset of the error in UTF-8.
    let offset: Int
    /// Whether the text is JSON, and only the requested type cannot hold the value.
    let isValidJSON: Bool

    package init(reason: String, offset: Int, isValidJSON: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isValidJSON = isValidJSON
    }

    /// Keeps the offset, so that the text around the error can be shown.
    ///
    /// - Parameter path: the path to the value; empty for invalid JSON.
    package func decodingError(in document: Data, at path: [any CodingKey] = []) -> DecodingError {
        let position = Position(offset: offset, documentLength: document.count)
        return .dataCorrupted(.init(codingPath: path, debugDescription: description, underlyingError: position))
    }

    private struct Position: Error {
        let offset: Int
        let documentLength: Int
    }

    /// The byte offset of the error in UTF-8, without the byte order mark. `nil` for an error that has only a path, and for one
    /// of another document, such as a part of this one.
    package static func offset(of error: any Error, in document: Data) -> Int? {
        guard case DecodingError.dataCorrupted(let context) = error, let position = context.underlyingError as? Position,
            position.documentLength == document.count
        else { return nil }
        return position.offset
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    package var description: String { "\(reason), at byte \(offset)" }
}
