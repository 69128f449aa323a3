package import Foundation

/// Text that is no JSON, or a value that no type of Swift can hold.
///
/// Within a decode it is an error of its own, and becomes a `DecodingError` only on the way out: so does Foundation's, and a type
/// that catches `DecodingError` while it is decoded must see the same errors from both.
package struct JSONSyntaxError: Error {
    /// What was expected, and what came.
    let reason: String
    /// Bytes of UTF-8 before the place.
    let offset: Int
    /// Whether the text is JSON, and only the type that was asked for cannot hold the value.
    let isSound: Bool

    package init(reason: String, offset: Int, isSound: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isSound = isSound
    }

    /// Keeps the offset, so that a reader of the error who has the document can show it.
    ///
    /// - Parameter path: to the value; empty for text that is no JSON.
    package func decodingError(in document: Data, at path: [any CodingKey] = []) -> DecodingError {
        let place = Place(offset: offset, documentLength: document.count)
        return .dataCorrupted(.init(codingPath: path, debugDescription: description, underlyingError: place))
    }

    private struct Place: Error {
        let offset: Int
        let documentLength: Int
    }

    /// Where a document is not what it should be: bytes of UTF-8 before the place, a mark of the encoding not counted. `nil` for
    /// an error that has nothing but a path, and for one of another document, which was a part of this.
    package static func place(of error: any Error, in document: Data) -> Int? {
        guard case DecodingError.dataCorrupted(let context) = error, let place = context.underlyingError as? Place,
            place.documentLength == document.count
        else { return nil }
        return place.offset
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    package var description: String { "\(reason), at byte \(offset)" }
}
