package import Synchronization

/// What is known of types, for the whole process. Read without a lock, by any thread; what is written stays forever, and is
/// small.
///
/// The runtime's own tables answer the same questions, in a time that one decoded field takes ten times.
///
/// `@unchecked`: slots are atomic, and what they point to is never changed.
package struct TypeRegistry<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
    @usableFromInline
    struct Known {
        @usableFromInline let type: ObjectIdentifier
        @usableFromInline let value: Value
    }

    @inlinable static var bits: UInt64 { 10 }
    @inlinable static var count: Int { 1 << Int(bits) }
    /// How many slots a type may be in, from its own on. When all are taken, it is found out anew each time.
    private static var reach: Int { 8 }

    /// Addresses of what is known; 0 for nothing yet.
    @usableFromInline let slots: UnsafeMutablePointer<Atomic<UInt>>

    package init() {
        slots = .allocate(capacity: Self.count)
        for place in 0..<Self.count { (slots + place).initialize(to: Atomic(0)) }
    }

    /// What is known of a type.
    @inlinable
    @inline(__always)
    package subscript(type: Any.Type) -> Value? {
        let id = ObjectIdentifier(type)
        if let known = known(Self.place(id)), known.pointee.type == id { return known.pointee.value }
        return other(id)
    }

    /// What is known of a type, found out where nothing is.
    @inline(__always)
    func value(of type: Any.Type, otherwise find: () -> Value) -> Value {
        if let value = self[type] { return value }
        let value = find()
        insert(value, of: type)
        return value
    }

    @inlinable
    @inline(__always)
    func known(_ place: Int) -> UnsafePointer<Known>? {
        UnsafePointer(bitPattern: slots[place].load(ordering: .acquiring))
    }

    @usableFromInline
    @inline(never)
    func other(_ id: ObjectIdentifier) -> Value? {
        for offset in 1..<Self.reach {
            let place = (Self.place(id) &+ offset) & (Self.count &- 1)
            if let known = known(place), known.pointee.type == id { return known.pointee.value }
        }
        return nil
    }

    /// - Returns: whether it is what is known from now on: another thread may have been faster, or there is no room.
    @inline(never)
    @discardableResult
    package func insert(_ value: Value, of type: Any.Type) -> Bool {
        let id = ObjectIdentifier(type)
        let known = UnsafeMutablePointer<Known>.allocate(capacity: 1)
        known.initialize(to: Known(type: id, value: value))
        for offset in 0..<Self.reach {
            let place = (Self.place(id) &+ offset) & (Self.count &- 1)
            let (isDone, found) = slots[place].compareExchange(
                expected: 0, desired: UInt(bitPattern: known), ordering: .acquiringAndReleasing)
            if isDone { return true }
            if UnsafePointer<Known>(bitPattern: found)?.pointee.type == id { break }
        }
        known.deallocate()
        return false
    }

    @inlinable
    @inline(__always)
    static func place(_ id: ObjectIdentifier) -> Int {
        let address = UInt64(UInt(bitPattern: id))
        // Not the golden ratio: types of one module lie multiples of 144 bytes apart, which that sends to one place.
        return Int(truncatingIfNeeded: (address &* 0xD6E8_FEB8_6659_FD93) &>> (64 &- bits))
    }
}
