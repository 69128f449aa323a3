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
    private let nodes: UnsafePointer<OutputNode>
    private let text: UnsafePointer<UInt8>
    /// The end of what is written; there is room for all of it.
    private var end: UnsafeMutablePointer<UInt8>
    private var members: [Member] = []

    static func write(_ tree: OutputTree, _ root: UInt32) -> Data {
        // Every node has at most a comma and two brackets of its own.
        let capacity = tree.count + 3 * tree.nodeCount + OutputTree.padding
        guard let memory = malloc(capacity) else { return Data() }
        let start = memory.bindMemory(to: UInt8.self, capacity: capacity)
        var writer = OutputWriter(tree, to: start)
        writer.value(root)
        let count = writer.end - start
        // What was set aside for texts that are no part of the document is given back.
        let kept = realloc(memory, max(count, 1)) ?? memory
        return Data(bytesNoCopy: kept, count: count, deallocator: .free)
    }

    private init(_ tree: OutputTree, to start: UnsafeMutablePointer<UInt8>) {
        self.tree = tree
        nodes = UnsafePointer(tree.nodes)
        text = UnsafePointer(tree.text)
        end = start
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
        if !tree.oddObjects.isEmpty, tree.oddObjects.contains(node) {
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
        let base = members.count
        var node = first
        var isSorted = true
        while node != 0 {
            let member = Member(
                prefix: prefix(node), node: node, place: UInt32(truncatingIfNeeded: members.count &- base))
            if isSorted, members.count > base { isSorted = isBefore(members[members.count &- 1], member) }
            members.append(member)
            node = nodes[Int(node)].next
        }
        guard members.count > base else { return }
        if !isSorted { sort(base) }
        if tree.sortsKeys || isSorted { writeMembers(base) } else { writeUnsorted(base, first) }
        // Instead of the last comma comes the bracket.
        end -= 1
        members.removeSubrange(base...)
    }

    private mutating func sort(_ base: Int) {
        let writer = self
        members.withUnsafeMutableBufferPointer { all in
            var own = UnsafeMutableBufferPointer(rebasing: all[base...])
            guard own.count <= 24 else { return own.sort { writer.isBefore($0, $1) } }
            for place in 1..<own.count {
                let member = own[place]
                var target = place
                while target > 0, writer.isBefore(member, own[target &- 1]) {
                    own[target] = own[target &- 1]
                    target &-= 1
                }
                own[target] = member
            }
        }
    }

    private mutating func writeMembers(_ base: Int) {
        let end = members.count
        for place in base..<end {
            let member = members[place]
            // Of equal keys the last counts.
            if place &+ 1 < end, isSame(member, members[place &+ 1]) { continue }
            self.member(member.node, key: member.node)
        }
    }

    /// In the order in which they were encoded.
    private mutating func writeUnsorted(_ base: Int, _ first: UInt32) {
        var dropped: Set<UInt32> = []
        for place in base..<members.count - 1 where isSame(members[place], members[place + 1]) {
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
        let word = Words.load(text + Int(place.pointee.keyStart) + 1)
        let length = Int(place.pointee.keyLength) &- 3
        return (length < Words.size ? word & Words.mask(length) : word).byteSwapped
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
