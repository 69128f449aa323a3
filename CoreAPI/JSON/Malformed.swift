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

    /// Keeps this, so that whoever has the document can show the place.
    package var decodingError: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: description, underlyingError: self))
    }

    /// Where a document is not what it should be: bytes of UTF-8 before the place, a mark of the encoding not counted; `nil` for an error
    /// that has a path instead.
    package static func place(of error: any Error) -> Int? {
        guard case DecodingError.dataCorrupted(let context) = error else { return nil }
        return (context.underlyingError as? Malformed)?.offset
    }
}

extension Malformed: CustomStringConvertible {
    package var description: String { "\(reason), at byte \(offset)" }
}
