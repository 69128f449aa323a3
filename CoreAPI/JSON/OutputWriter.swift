internal import Foundation

/// The text of a tree. Containers that lie deeper than is allowed are none of it, which bounds the recursion.
struct OutputWriter {
    /// A member that is to be sorted.
    private struct Member: BitwiseCopyable {
        /// The first eight bytes of the key as a number that is ordered as they are; zeros behind its end.
        let prefix: UInt64
        let node: UInt32
        /// Which of equal keys comes last.
        let place: UInt32
    }

    private let tree: OutputTree
    private let sortsKeys: Bool
    private let hasOddKeys: Bool
    private let nodes: UnsafePointer<OutputNode>
    private let text: UnsafePointer<UInt8>
    /// The end of what is written; there is room for all of it.
    private var end: UnsafeMutablePointer<UInt8>
    /// Those of the objects that are being written, the innermost last.
    private var members: UnsafeMutablePointer<Member>
    private var memberCount = 0
    private var memberCapacity = 64

    static func write(_ tree: OutputTree, _ root: UInt32) -> Data {
        // Every node has at most a comma and two brackets of its own.
        let capacity = tree.count + 3 * tree.nodeCount + OutputTree.padding
        if capacity <= 2_048 {
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { memory in
                memory.baseAddress.map { Data(bytes: $0, count: write(tree, root, to: $0)) } ?? Data()
            }
        }
        guard let memory = malloc(capacity) else { return Data() }
        let count = write(tree, root, to: memory.bindMemory(to: UInt8.self, capacity: capacity))
        // What was set aside for texts that are no part of the document is given back.
        return Data(bytesNoCopy: realloc(memory, count) ?? memory, count: count, deallocator: .free)
    }

    private static func write(_ tree: OutputTree, _ root: UInt32, to start: UnsafeMutablePointer<UInt8>) -> Int {
        var writer = OutputWriter(tree, to: start)
        writer.value(root)
        writer.members.deallocate()
        return writer.end - start
    }

    private init(_ tree: OutputTree, to start: UnsafeMutablePointer<UInt8>) {
        self.tree = tree
        sortsKeys = tree.sortsKeys
        hasOddKeys = !tree.oddObjects.isEmpty
        nodes = UnsafePointer(tree.nodes)
        text = UnsafePointer(tree.text)
        end = start
        members = .allocate(capacity: memberCapacity)
    }

    @inline(__always)
    private mutating func byte(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }

    /// In steps of sixteen bytes, which may go beyond the end of either.
    @inline(__always)
    private mutating func copy(_ start: UInt32, _ count: Int) {
        let source = UnsafeRawPointer(text + Int(start))
        if count <= 64 {
            let target = UnsafeMutableRawPointer(end)
            var place = 0
            repeat {
                let word = source.loadUnaligned(fromByteOffset: place, as: SIMD2<UInt64>.self)
                target.storeBytes(of: word, toByteOffset: place, as: SIMD2<UInt64>.self)
                place &+= 16
            } while place < count
        } else {
            UnsafeMutableRawPointer(end).copyMemory(from: source, byteCount: count)
        }
        end += count
    }

    private mutating func value(_ node: UInt32) {
        let place = nodes + Int(node)
        switch place.pointee.kind {
        case .scalar, .items: copy(place.pointee.start, Int(place.pointee.end &- place.pointee.start))
        case .array: array(place.pointee.start)
        case .object: object(node)
        }
    }

    private mutating func array(_ first: UInt32) {
        byte(UInt8(ascii: "["))
        var item = first
        while item != 0 {
            value(item)
            item = nodes[Int(item)].next
            if item != 0 { byte(UInt8(ascii: ",")) }
        }
        byte(UInt8(ascii: "]"))
    }

    private mutating func object(_ node: UInt32) {
        byte(UInt8(ascii: "{"))
        if hasOddKeys, tree.oddObjects.contains(node) {
            oddMembers(of: nodes[Int(node)].start)
        } else {
            sortedMembers(of: nodes[Int(node)].start)
        }
        byte(UInt8(ascii: "}"))
    }

    @inline(__always)
    private mutating func member(_ node: UInt32, key: UInt32) {
        let place = nodes + Int(node)
        let name = nodes + Int(key)
        let keyEnd = name.pointee.keyStart &+ name.pointee.keyLength
        if keyEnd == place.pointee.start, place.pointee.kind == .scalar {
            // What was written together is copied together.
            copy(name.pointee.keyStart, Int(place.pointee.end &- name.pointee.keyStart))
        } else {
            copy(name.pointee.keyStart, Int(name.pointee.keyLength))
            value(node)
        }
        byte(UInt8(ascii: ","))
    }

    // MARK: - Order

    private mutating func sortedMembers(of first: UInt32) {
        guard first != 0 else { return }
        let base = memberCount
        var node = first
        var isSorted = true
        while node != 0 {
            if memberCount == memberCapacity { growMembers() }
            let member = Member(
                prefix: prefix(node), node: node, place: UInt32(truncatingIfNeeded: memberCount &- base))
            if isSorted, memberCount > base { isSorted = isBefore(members[memberCount &- 1], member) }
            (members + memberCount).initialize(to: member)
            memberCount &+= 1
            node = nodes[Int(node)].next
        }
        let count = memberCount &- base
        if !isSorted { sort(UnsafeMutableBufferPointer(start: members + base, count: count)) }
        if sortsKeys || isSorted { writeMembers(base, count) } else { writeUnsorted(base, count, first) }
        // Instead of the last comma comes the bracket.
        end -= 1
        memberCount = base
    }

    @inline(never)
    private mutating func growMembers() {
        let larger = UnsafeMutablePointer<Member>.allocate(capacity: memberCapacity * 2)
        larger.moveInitialize(from: members, count: memberCount)
        members.deallocate()
        members = larger
        memberCapacity *= 2
    }

    @inline(__always)
    private func sort(_ own: UnsafeMutableBufferPointer<Member>) {
        guard own.count <= 24 else { return sortMany(own) }
        for place in 1..<own.count {
            let member = own[place]
            var target = place
            while target > 0, isBefore(member, own[target &- 1]) {
                own[target] = own[target &- 1]
                target &-= 1
            }
            own[target] = member
        }
    }

    @inline(never)
    private func sortMany(_ own: UnsafeMutableBufferPointer<Member>) {
        var own = own
        own.sort { isBefore($0, $1) }
    }

    @inline(__always)
    private mutating func writeMembers(_ base: Int, _ count: Int) {
        for place in base..<base &+ count {
            let member = members[place]
            // Of equal keys the last counts.
            if place &+ 1 < base &+ count, isSame(member, members[place &+ 1]) { continue }
            self.member(member.node, key: member.node)
        }
    }

    /// In the order in which they were encoded.
    private mutating func writeUnsorted(_ base: Int, _ count: Int, _ first: UInt32) {
        var dropped: Set<UInt32> = []
        for place in base..<base &+ count &- 1 where isSame(members[place], members[place &+ 1]) {
            dropped.insert(members[place].node)
        }
        var node = first
        while node != 0 {
            if dropped.isEmpty || !dropped.contains(node) { member(node, key: node) }
            node = nodes[Int(node)].next
        }
    }

    @inline(__always)
    private func prefix(_ node: UInt32) -> UInt64 {
        let place = nodes + Int(node)
        // Between the quotes.
        let word = SWAR.load(text + Int(place.pointee.keyStart) + 1)
        let length = Int(place.pointee.keyLength) &- 3
        return (length < SWAR.size ? word & SWAR.mask(length) : word).byteSwapped
    }

    @inline(__always)
    private func isBefore(_ left: Member, _ right: Member) -> Bool {
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return isRestBefore(left, right)
    }

    @inline(never)
    private func isRestBefore(_ left: Member, _ right: Member) -> Bool {
        let order = restOrder(left, right)
        return order == 0 ? left.place < right.place : order < 0
    }

    @inline(__always)
    private func isSame(_ left: Member, _ right: Member) -> Bool {
        left.prefix == right.prefix && restOrder(left, right) == 0
    }

    /// Of keys with the same first eight bytes; those in the texts have no zeros, so that shorter ones are the same.
    private func restOrder(_ left: Member, _ right: Member) -> Int {
        let (left, right) = (nodes + Int(left.node), nodes + Int(right.node))
        let lengths = (Int(left.pointee.keyLength) - 3, Int(right.pointee.keyLength) - 3)
        let shared = min(lengths.0, lengths.1)
        if shared > 0 {
            let order = memcmp(text + Int(left.pointee.keyStart) + 1, text + Int(right.pointee.keyStart) + 1, shared)
            if order != 0 { return Int(order) }
        }
        return lengths.0 - lengths.1
    }

    // MARK: - Odd keys

    /// Where keys have to be compared as strings. Of equal ones the first is written, with the last one's value.
    private mutating func oddMembers(of first: UInt32) {
        var places: [String: Int] = [:]
        var found: [(name: String, key: UInt32, node: UInt32)] = []
        var node = first
        while node != 0 {
            let name = tree.name(of: node)
            if let place = places[name] {
                found[place].node = node
            } else {
                places[name] = found.count
                found.append((name, node, node))
            }
            node = nodes[Int(node)].next
        }
        if tree.sortsKeys { found.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
        for member in found { self.member(member.node, key: member.key) }
        end -= 1
    }
}
