internal import Synchronization

/// A process-wide cache of values by type. Any thread reads it without a lock. Entries are small and never removed. A lookup in
/// the runtime's own tables takes ten times as long as decoding one field.
///
/// `@unchecked`: slots are atomic, and entries are immutable.
struct TypeRegistry<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
    private struct Known {
        let type: ObjectIdentifier
        let value: Value
    }

    private static var bits: UInt64 { 10 }
    /// In how many slots a type may be, from its own on. If all are taken, its value is computed each time.
    private static var reach: Int { 8 }

    /// Addresses of entries; 0 for a free slot.
    private let slots: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        slots = .allocate(capacity: 1 << Int(Self.bits))
        for slot in 0..<1 << Int(Self.bits) { (slots + slot).initialize(to: Atomic(0)) }
    }

    /// The value of a type, computed and stored if it is unknown.
    @inline(__always)
    func value(of type: Any.Type, otherwise find: () -> Value) -> Value {
        let id = ObjectIdentifier(type)
        return known(id, 0) ?? other(id) ?? insert(find(), of: id)
    }

    @inline(__always)
    private func known(_ id: ObjectIdentifier, _ offset: Int) -> Value? {
        let known = UnsafePointer<Known>(bitPattern: slots[Self.slot(id, offset)].load(ordering: .acquiring))
        return known?.pointee.type == id ? known?.pointee.value : nil
    }

    @inline(never)
    private func other(_ id: ObjectIdentifier) -> Value? {
        for offset in 1..<Self.reach {
            if let value = known(id, offset) { return value }
        }
        return nil
    }

    @inline(never)
    private func insert(_ value: Value, of id: ObjectIdentifier) -> Value {
        let known = UnsafeMutablePointer<Known>.allocate(capacity: 1)
        known.initialize(to: Known(type: id, value: value))
        for offset in 0..<Self.reach {
            let (isDone, found) = slots[Self.slot(id, offset)].compareExchange(
                expected: 0, desired: UInt(bitPattern: known), ordering: .acquiringAndReleasing)
            if isDone { return value }
            // Another thread was faster.
            if UnsafePointer<Known>(bitPattern: found)?.pointee.type == id { break }
        }
        known.deallocate()
        return value
    }

    @inline(__always)
    private static func slot(_ id: ObjectIdentifier, _ offset: Int) -> Int {
        let address = UInt64(UInt(bitPattern: id))
        // Not the golden ratio: types of one module lie multiples of 144 bytes apart, and it would send them to one slot.
        let slot = Int(truncatingIfNeeded: (address &* 0xD6E8_FEB8_6659_FD93) &>> (64 &- bits))
        return (slot &+ offset) & (1 << Int(bits) &- 1)
    }
}
