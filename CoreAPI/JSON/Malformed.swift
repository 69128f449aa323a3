package import Foundation

/// Text that is no JSON, or a value that no type of Swift can hold.
///
/// Within a decode it is an error of its own, and becomes a `DecodingError` only on the way out: so does Foundation's, and a type
/// that catches `DecodingError` while it is decoded must see the same errors from both.
package struct Malformed: Error {
    /// What was expected, and what came.
    let reason: String
    /// Bytes of UTF-8 before the place.
    let offset: Int

    package init(reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// Keeps the place, so that whoever has the document can show it.
    package func decodingError(in document: Data) -> DecodingError {
        let place = Place(offset: offset, documentLength: document.count)
        return .dataCorrupted(.init(codingPath: [], debugDescription: description, underlyingError: place))
    }

    private struct Place: Error {
        let offset: Int
        let documentLength: Int
    }

    /// Where a document is not what it should be: bytes of UTF-8 before the place, a mark of the encoding not counted. `nil` for an error
    /// that has a path instead, and for one of another document, which was a part of this.
    package static func place(of error: any Error, in document: Data) -> Int? {
        guard case DecodingError.dataCorrupted(let context) = error, let place = context.underlyingError as? Place,
            place.documentLength == document.count
        else { return nil }
        return place.offset
    }
}

extension Malformed: CustomStringConvertible {
    package var description: String { "\(reason), at byte \(offset)" }
}
