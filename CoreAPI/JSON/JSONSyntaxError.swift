package import Foundation

/// Invalid JSON, or a number that its type cannot hold.
///
/// Becomes a `DecodingError` only when the decode ends, as in Foundation. A type that catches `DecodingError` while it is decoded
/// must see the same errors from both.
package struct JSONSyntaxError: Error, CustomStringConvertible {
    /// What was expected, and what was found.
    let reason: String
    /// The byte offset of the error in UTF-8.
    let offset: Int
    /// The tape index of a valid number that the requested type cannot hold; `nil` for invalid JSON.
    let number: Int?

    package init(reason: String, offset: Int, number: Int? = nil) {
        (self.reason, self.offset, self.number) = (reason, offset, number)
    }

    package var description: String { "\(reason), at byte \(offset)" }

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

extension JSONDecoder {
    /// `decode(_:from:)` that avoids a crash of Foundation in Swift 6.3. It happens if a document's last byte opens the 513th
    /// nested array: Foundation looks for that byte beyond the document's end.
    ///
    /// - Throws: as `decode(_:from:)`. A document that ends in `[` is never JSON, and fails with `DecodingError.dataCorrupted`.
    package func decodeWithinEnd<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        // In UTF-16 and UTF-32, zeros may follow the bracket.
        guard data.last(where: { $0 != 0 }) != UInt8(ascii: "[") else {
            throw JSONSyntaxError(reason: "expected a value or ']', found the end", offset: data.count).decodingError(in: data)
        }
        return try decode(type, from: data)
    }
}
