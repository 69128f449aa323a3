package import Foundation

extension JSONDecoder {
    /// `decode(_:from:)`, without what ends the process in Swift 6.3: where the last byte of a document opens the 513th array in
    /// each other, Foundation looks for that byte's place behind the document's end.
    ///
    /// - Throws: as `decode(_:from:)`; `DecodingError.dataCorrupted` for every document with such an end, because none is JSON.
    package func decodeWithinEnd<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        // In UTF-16 and UTF-32 a bracket is that byte and zeros.
        guard data.last(where: { $0 != 0 }) != UInt8(ascii: "[") else {
            throw JSONSyntaxError(reason: "expected a value or ']', found the end", offset: data.count).decodingError(in: data)
        }
        return try decode(type, from: data)
    }
}
