/// What is known of a few types, for as long as a document is decoded.
struct TypeTable<Value: BitwiseCopyable> {
    private struct Slot {
        var type: ObjectIdentifier?
        var value: Value?
    }

    private static var bits: UInt64 { 4 }
    private static var count: Int { 1 << Int(bits) }
    /// How many slots a type may be in, from its own on.
    private static var reach: Int { 4 }

    private let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(type: nil, value: nil), count: Self.count)
    }

    /// To be called once.
    func deallocate() {
        slots.deallocate()
    }

    /// Setting what is there already may make another type unknown.
    @inline(__always)
    subscript(_ type: Any.Type) -> Value? {
        get {
            let id = ObjectIdentifier(type)
            let first = Self.place(id)
            if slots[first].type == id { return slots[first].value }
            return find(id, from: first)
        }
        nonmutating set {
            let id = ObjectIdentifier(type)
            let first = Self.place(id)
            var place = first
            for offset in 0..<Self.reach {
                let candidate = (first &+ offset) & (Self.count &- 1)
                if slots[candidate].type == id || slots[candidate].type == nil {
                    place = candidate
                    break
                }
            }
            slots[place] = Slot(type: id, value: newValue)
        }
    }

    @inline(never)
    private func find(_ id: ObjectIdentifier, from first: Int) -> Value? {
        for offset in 1..<Self.reach {
            let place = (first &+ offset) & (Self.count &- 1)
            if slots[place].type == id { return slots[place].value }
        }
        return nil
    }

    @inline(__always)
    private static func place(_ id: ObjectIdentifier) -> Int {
        let address = UInt64(UInt(bitPattern: id))
        // Not the golden ratio: types of one module lie multiples of 144 bytes apart, which that sends to one place.
        return Int(truncatingIfNeeded: (address &* 0xD6E8_FEB8_6659_FD93) &>> (64 &- bits))
    }
}
