/// The container of a single value.
extension Decoding: SingleValueDecodingContainer {
    func decodeNil() -> Bool { document.entry(value).is(.null) }

    func decode(_ type: Bool.Type) throws -> Bool { try check(document.bool(value)) }
    func decode(_ type: String.Type) throws -> String { try check(document.string(value)) }
    func decode(_ type: Double.Type) throws -> Double { try check(document.double(value)) }
    func decode(_ type: Float.Type) throws -> Float { try check(document.float(value)) }
    func decode(_ type: Int.Type) throws -> Int { try check(document.integer(value, type)) }
    func decode(_ type: Int8.Type) throws -> Int8 { try check(document.integer(value, type)) }
    func decode(_ type: Int16.Type) throws -> Int16 { try check(document.integer(value, type)) }
    func decode(_ type: Int32.Type) throws -> Int32 { try check(document.integer(value, type)) }
    func decode(_ type: Int64.Type) throws -> Int64 { try check(document.integer(value, type)) }
    func decode(_ type: Int128.Type) throws -> Int128 { try check(document.integer(value, type)) }
    func decode(_ type: UInt.Type) throws -> UInt { try check(document.integer(value, type)) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try check(document.integer(value, type)) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try check(document.integer(value, type)) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try check(document.integer(value, type)) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try check(document.integer(value, type)) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try check(document.integer(value, type)) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try document.decode(type, at: value, from: self)
    }

    @inline(__always)
    private func check<Value>(_ found: Value?) throws -> Value {
        guard let found else { throw mismatch(Value.self, at: value, codingPath) }
        return found
    }
}
