internal import Foundation

/// Writes the text of a tree. A tree beyond the depth limit is never written, which bounds the recursion.
struct OutputWriter {
    /// A member and its sort key.
    private struct Member: BitwiseCopyable {
        /// The first eight bytes of the key, the first in the highest bits; zeros follow a shorter key.
        let prefix: UInt64
        let node: UInt32
        /// Its index in the object: of equal keys the last wins.
        let index: UInt32
    }

    private let tree: OutputTree
    private let hasOddKeys: Bool
    private let nodes: UnsafePointer<OutputNode>
    private let text: UnsafePointer<UInt8>
    /// The end of the written text. The buffer has room for the whole document.
    private var end: UnsafeMutablePointer<UInt8>
    /// The members of the objects that are being written, the innermost last.
    private var members: UnsafeMutablePointer<Member>
    private var memberCount = 0
    private var memberCapacity = 64

    static func write(_ tree: OutputTree, _ root: UInt32) -> Data {
        // Each node adds at most a comma and two brackets.
        let capacity = tree.count + 3 * tree.nodeCount + OutputTree.padding
        if capacity <= 2_048 {
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { memory in
                memory.baseAddress.map { Data(bytes: $0, count: write(tree, root, to: $0)) } ?? Data()
            }
        }
        guard let memory = malloc(capacity) else { return Data() }
        let count = write(tree, root, to: memory.bindMemory(to: UInt8.self, capacity: capacity))
        // Gives back the room of texts that are not part of the document.
        return Data(bytesNoCopy: realloc(memory, count) ?? memory, count: count, deallocator: .free)
    }

    private static func write(_ tree: OutputTree, _ root: UInt32, to start: UnsafeMutablePointer<UInt8>) -> Int {
        var writer = OutputWriter(tree, to: start)
        writer.value(root)
        writer.members.deallocate()
        return writer.end - start
    }

    private init(_ tree: OutputTree, to start: UnsafeMutablePointer<UInt8>) {
        (self.tree, hasOddKeys) = (tree, !tree.oddObjects.isEmpty)
        (nodes, text, end) = (UnsafePointer(tree.nodes), UnsafePointer(tree.text), start)
        members = .allocate(capacity: memberCapacity)
    }

    @inline(__always)
    private mutating func byte(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }

    /// Copies 16 bytes at a time, and may go beyond the end of both.
    @inline(__always)
    private mutating func copy(_ start: UInt32, _ count: Int) {
        let source = UnsafeRawPointer(text + Int(start))
        if count <= 64 {
            let target = UnsafeMutableRawPointer(end)
            var offset = 0
            repeat {
                let word = source.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
                target.storeBytes(of: word, toByteOffset: offset, as: SIMD2<UInt64>.self)
                offset &+= 16
            } while offset < count
        } else {
            UnsafeMutableRawPointer(end).copyMemory(from: source, byteCount: count)
        }
        end += count
    }

    private mutating func value(_ node: UInt32) {
        let pointer = nodes + Int(node)
        switch pointer.pointee.kind {
        case .scalar, .items: copy(pointer.pointee.start, Int(pointer.pointee.end &- pointer.pointee.start))
        case .array: array(pointer.pointee.start)
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
        let first = nodes[Int(node)].start
        if hasOddKeys, tree.oddObjects.contains(node) { oddMembers(of: first) } else { sortedMembers(of: first) }
        byte(UInt8(ascii: "}"))
    }

    @inline(__always)
    private mutating func member(_ node: UInt32, key: UInt32) {
        let pointer = nodes + Int(node)
        let name = nodes + Int(key)
        let keyEnd = name.pointee.keyStart &+ name.pointee.keyLength
        if keyEnd == pointer.pointee.start, pointer.pointee.kind == .scalar {
            // Key and value are adjacent, so one copy takes both.
            copy(name.pointee.keyStart, Int(pointer.pointee.end &- name.pointee.keyStart))
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
            let member = Member(prefix: prefix(node), node: node, index: UInt32(truncatingIfNeeded: memberCount &- base))
            if isSorted, memberCount > base { isSorted = isBefore(members[memberCount &- 1], member) }
            (members + memberCount).initialize(to: member)
            memberCount &+= 1
            node = nodes[Int(node)].next
        }
        let count = memberCount &- base
        if !isSorted { sort(UnsafeMutableBufferPointer(start: members + base, count: count)) }
        if tree.sortsKeys || isSorted { writeMembers(base, count) } else { writeUnsorted(base, count, first) }
        // The bracket replaces the last comma.
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
        for index in 1..<own.count {
            let member = own[index]
            var target = index
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
        for index in base..<base &+ count {
            let member = members[index]
            // Of equal keys the last wins.
            if index &+ 1 < base &+ count, isSame(member, members[index &+ 1]) { continue }
            self.member(member.node, key: member.node)
        }
    }

    /// Writes members in the order of encoding.
    private mutating func writeUnsorted(_ base: Int, _ count: Int, _ first: UInt32) {
        var dropped: Set<UInt32> = []
        for index in base..<base &+ count &- 1 where isSame(members[index], members[index &+ 1]) {
            dropped.insert(members[index].node)
        }
        tree.forEach(from: first) { if dropped.isEmpty || !dropped.contains($0) { member($0, key: $0) } }
    }

    @inline(__always)
    private func prefix(_ node: UInt32) -> UInt64 {
        let pointer = nodes + Int(node)
        // The key begins after its quote.
        let word = SWAR.load(text + Int(pointer.pointee.keyStart) + 1)
        let length = Int(pointer.pointee.keyLength) &- 3
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
        return order == 0 ? left.index < right.index : order < 0
    }

    @inline(__always)
    private func isSame(_ left: Member, _ right: Member) -> Bool {
        left.prefix == right.prefix && restOrder(left, right) == 0
    }

    /// Compares keys with equal prefixes. Such keys contain no zeros, so zeros in a prefix only follow its end.
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

    /// Compares keys as strings. Of equal keys the first is written, with the last one's value.
    private mutating func oddMembers(of first: UInt32) {
        var indexes: [String: Int] = [:]
        var found: [(name: String, key: UInt32, node: UInt32)] = []
        tree.forEach(from: first) { node in
            let name = tree.name(of: node)
            if let index = indexes[name] {
                found[index].node = node
            } else {
                indexes[name] = found.count
                found.append((name, node, node))
            }
        }
        if tree.sortsKeys { found.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
        for member in found { self.member(member.node, key: member.key) }
        end -= 1
    }
}
