package import Foundation

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
