/// A value behind one reference: handing it on costs that reference, and only a change while somebody else has it copies it.
///
/// For what is large and passes through many hands: a request is made of fifteen references, and on its way to an answer it was copied
/// some twenty times.
///
/// `@unchecked`: changed only while it has one owner.
struct CopyOnWrite<Value: Sendable>: @unchecked Sendable {
    // A managed buffer, whose header is reached by its address: access to a class's variable is checked for exclusivity each time.
    private var storage: ManagedBuffer<Value, Never>

    init(_ value: Value) {
        storage = ManagedBuffer<Value, Never>.create(minimumCapacity: 0) { _ in value }
    }

    var value: Value {
        @inline(__always)
        _read {
            // The pointer is good while the storage lives.
            defer { withExtendedLifetime(storage) {} }
            yield storage.withUnsafeMutablePointerToHeader { $0 }.pointee
        }
        @inline(__always)
        _modify {
            if !isKnownUniquelyReferenced(&storage) { self = CopyOnWrite(value) }
            defer { withExtendedLifetime(storage) {} }
            yield &storage.withUnsafeMutablePointerToHeader { $0 }.pointee
        }
    }
}
