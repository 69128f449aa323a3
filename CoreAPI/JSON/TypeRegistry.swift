package import Synchronization

/// A process-wide cache of values by type. Any thread reads it without a lock. Entries are small and never removed.
///
/// A lookup in the runtime's own tables takes ten times as long as decoding one field.
///
/// `@unchecked`: slots are atomic, and entries are immutable.
package struct TypeRegistry<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
    @usableFromInline
    struct Known {
        @usableFromInline let type: ObjectIdentifier
        @usableFromInline let value: Value
    }

    @inlinable static var bits: UInt64 { 10 }
    @inlinable static var count: Int { 1 << Int(bits) }
    /// In how many slots a type may be, from its own on. If all are taken, its value is computed each time.
    private static var reach: Int { 8 }

    /// Addresses of entries; 0 for a free slot.
    @usableFromInline let slots: UnsafeMutablePointer<Atomic<UInt>>

    package init() {
        slots = .allocate(capacity: Self.count)
        for slot in 0..<Self.count { (slots + slot).initialize(to: Atomic(0)) }
    }

    /// The value of a type, if it is known.
    @inlinable
    @inline(__always)
    package subscript(type: Any.Type) -> Value? {
        let id = ObjectIdentifier(type)
        if let known = known(Self.slot(id)), known.pointee.type == id { return known.pointee.value }
        return other(id)
    }

    /// The value of a type, computed and stored if it is unknown.
    @inline(__always)
    func value(of type: Any.Type, otherwise find: () -> Value) -> Value {
        if let value = self[type] { return value }
        let value = find()
        insert(value, of: type)
        return value
    }

    @inlinable
    @inline(__always)
    func known(_ slot: Int) -> UnsafePointer<Known>? {
        UnsafePointer(bitPattern: slots[slot].load(ordering: .acquiring))
    }

    @usableFromInline
    @inline(never)
    func other(_ id: ObjectIdentifier) -> Value? {
        for offset in 1..<Self.reach {
            let slot = (Self.slot(id) &+ offset) & (Self.count &- 1)
            if let known = known(slot), known.pointee.type == id { return known.pointee.value }
        }
        return nil
    }

    /// - Returns: whether the value was stored. Another thread may have been faster, or there may be no room.
    @inline(never)
    @discardableResult
    package func insert(_ value: Value, of type: Any.Type) -> Bool {
        let id = ObjectIdentifier(type)
        let known = UnsafeMutablePointer<Known>.allocate(capacity: 1)
        known.initialize(to: Known(type: id, value: value))
        for offset in 0..<Self.reach {
            let slot = (Self.slot(id) &+ offset) & (Self.count &- 1)
            let (isDone, found) = slots[slot].compareExchange(
                expected: 0, desired: UInt(bitPattern: known), ordering: .acquiringAndReleasing)
            if isDone { return true }
            if UnsafePointer<Known>(bitPattern: found)?.pointee.type == id { break }
        }
        known.deallocate()
        return false
    }

    @inlinable
    @inline(__always)
    static func slot(_ id: ObjectIdentifier) -> Int {
        let address = UInt64(UInt(bitPattern: id))
        // Not the golden ratio: types of one module lie multiples of 144 bytes apart, and it would send them to one slot.
        return Int(truncatingIfNeeded: (address &* 0xD6E8_FEB8_6659_FD93) &>> (64 &- bits))
    }
}
