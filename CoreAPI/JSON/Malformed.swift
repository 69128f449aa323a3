/// Text that is no JSON, or a value that no type of Swift can hold.
///
/// Within a decode it is an error of its own, and becomes a `DecodingError` only on the way out: so does Foundation's, and a type
/// that catches `DecodingError` while it is decoded must see the same errors from both.
struct Malformed: Error {
    /// What was expected, and what came.
    let reason: String
    /// Bytes of UTF-8 before the place.
    let offset: Int

    var decodingError: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: description))
    }
}

extension Malformed: CustomStringConvertible {
    var description: String { "\(reason), at byte \(offset)" }
}
