/// A value behind one reference: handing it on costs that reference, and only a change while somebody else has it copies it.
///
/// For what is large and passes through many hands: a request is made of fifteen references, and on its way to an answer it was copied
/// some twenty times.
///
/// `@unchecked`: changed only while it has one owner.
struct CopyOnWrite<Value: Sendable>: @unchecked Sendable {
    private final class Storage {
        // Access would be checked each time, for nothing: only the one owner changes it.
        @exclusivity(unchecked) var value: Value

        init(_ value: consuming Value) {
            self.value = value
        }
    }

    private var storage: Storage

    init(_ value: consuming Value) {
        storage = Storage(value)
    }

    var value: Value {
        @inline(__always)
        _read { yield storage.value }
        @inline(__always)
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}
