/// Scalars, read without a decoder for each.
extension UnkeyedContainer {
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let index = try next(type)
        return try take(document.bool(index), index)
    }

    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? {
        guard let index = present() else { return nil }
        return try take(document.bool(index), index)
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let index = try next(type)
        return try take(try document.string(index), index)
    }

    mutating func decodeIfPresent(_ type: String.Type) throws -> String? {
        guard let index = present() else { return nil }
        return try take(try document.string(index), index)
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let index = try next(type)
        return try take(try document.double(index), index)
    }

    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? {
        guard let index = present() else { return nil }
        return try take(try document.double(index), index)
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let index = try next(type)
        return try take(try document.float(index), index)
    }

    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? {
        guard let index = present() else { return nil }
        return try take(try document.float(index), index)
    }

    mutating func decode(_ type: Int.Type) throws -> Int { try integer() }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try integerIfPresent() }
    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try integerIfPresent() }

    @inline(__always)
    private mutating func integer<Integer: FixedWidthInteger>() throws -> Integer {
        let index = try next(Integer.self)
        return try take(try document.integer(index, Integer.self), index)
    }

    @inline(__always)
    private mutating func integerIfPresent<Integer: FixedWidthInteger>() throws -> Integer? {
        guard let index = present() else { return nil }
        return try take(try document.integer(index, Integer.self), index)
    }

    @inline(__always)
    private mutating func take<Value>(_ found: Value?, _ index: Int) throws -> Value {
        guard let found else { throw decoding.mismatch(Value.self, at: index, ItemKey(currentIndex)) }
        advance()
        return found
    }
}
