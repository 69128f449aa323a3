/// The container of a single value.
extension Encoding: SingleValueEncodingContainer {
    final func encodeNil() throws {
        try write(String?.none) { $0.plain("null") }
    }

    final func encode(_ value: Bool) throws { try write(value) { $0.plain(value ? "true" : "false") } }
    final func encode(_ value: String) throws { try write(value) { $0.string(value) } }
    final func encode(_ value: Double) throws { try write(value) { try $0.double(value) { self.codingPath } } }
    final func encode(_ value: Float) throws { try write(value) { try $0.float(value) { self.codingPath } } }
    final func encode(_ value: Int) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: Int8) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: Int16) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: Int32) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: Int64) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: Int128) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: UInt) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: UInt8) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: UInt16) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: UInt32) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: UInt64) throws { try write(value) { $0.integer(value) } }
    final func encode(_ value: UInt128) throws { try write(value) { $0.integer(value) } }

    final func encode<Value: Encodable>(_ value: Value) throws {
        try check(value)
        let node = try node(of: value, isOwn: true)
        set(node != 0 ? node : tree.emptyObject(in: depth))
    }

    @inline(__always)
    private func write<Value>(_ value: Value, _ text: (OutputTree) throws -> Void) throws {
        try check(value)
        set(try tree.scalar(text))
    }

    /// - Throws: for a second value. A type may continue an open container.
    @inline(__always)
    private func check<Value>(_ value: Value) throws {
        guard self.value != 0 else { return }
        let node = tree.nodes[Int(self.value)]
        if node.isClosed || node.kind == .scalar { throw another(value) }
    }

    @inline(never)
    private func another<Value>(_ value: Value) -> EncodingError {
        .invalidValue(
            value as Any, .init(codingPath: codingPath, debugDescription: "expected one value, found a second one"))
    }

    /// An open container wins over a scalar.
    @inline(__always)
    private func set(_ node: UInt32) {
        if value == 0 { value = node }
    }
}
