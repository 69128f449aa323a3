/// Scalars. `encodeIfPresent` of the standard library ends here, too.
extension KeyedOutput {
    func encodeNil(forKey key: Key) { write(key) { $0.plain("null") } }

    func encode(_ value: Bool, forKey key: Key) { write(key) { $0.plain(value ? "true" : "false") } }
    func encode(_ value: String, forKey key: Key) { write(key) { $0.string(value) } }

    func encode(_ value: Double, forKey key: Key) throws {
        try write(key) { try $0.double(value) { encoding.codingPath + [key] } }
    }

    func encode(_ value: Float, forKey key: Key) throws {
        try write(key) { try $0.float(value) { encoding.codingPath + [key] } }
    }

    func encode(_ value: Int, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: Int8, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: Int16, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: Int32, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: Int64, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: Int128, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: UInt, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: UInt8, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: UInt16, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: UInt32, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: UInt64, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: UInt128, forKey key: Key) { write(key) { $0.integer(value) } }
}
