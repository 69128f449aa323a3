internal import Foundation

/// Members of objects by their keys.
extension Document {
    /// Passes the tape index of each key to a closure. The value is at the next index.
    @inline(__always)
    func forEachKey(of object: Int, _ body: (Int) throws -> Void) rethrows {
        try tape.forEachKey(from: object &+ 2, to: entry(object).end, body)
    }

    /// All keys of an object in document order, duplicates included.
    func names(of object: Int) throws -> [String] {
        var names: [String] = []
        names.reserveCapacity(entry(object).count)
        try forEachKey(of: object) { names.append(try key($0)) }
        return names
    }

    /// - Throws: ``JSONSyntaxError`` for invalid text, and for too many combining marks to compare.
    func key(_ index: Int) throws -> String {
        let key = try string(index) ?? ""
        if entry(index).has(TapeEntry.ascii | TapeEntry.simple) { return key }
        guard !key.hasEndlessCombiningMarks else {
            throw JSONSyntaxError(
                reason: "expected a key with at most \(String.combiningMarkLimit) combining marks in a row",
                offset: entry(index).offset)
        }
        return key
    }

    /// - Returns: the value's index, or ``TapeEntry/none``. Only for an object with regular keys.
    @inline(__always)
    func member(_ name: String, of object: Int) -> Int {
        let entry = entry(object)
        let (first, cursor) = (object &+ 2, Int(truncatingIfNeeded: tape[object &+ 1]))
        // Types ask for keys in document order, or in the order of the object before. In an object without arrays and objects,
        // every second word is a key.
        let isHinted = entry.end == first &+ 2 &* entry.count
        let index = isHinted ? first &+ 2 &* Int(hints[(cursor &- first) >> 1]) : cursor
        if index < entry.end, isKey(index, name) {
            tape[object &+ 1] = UInt64(truncatingIfNeeded: self.index(after: index &+ 1))
            return index &+ 1
        }
        return otherMember(name, of: object, isHinted)
    }

    @inline(never)
    private func otherMember(_ name: String, of object: Int, _ isHinted: Bool) -> Int {
        let (first, end) = (object &+ 2, entry(object).end)
        let cursor = Int(truncatingIfNeeded: tape[object &+ 1])
        if isHinted, cursor < end, isKey(cursor, name) {
            tape[object &+ 1] = UInt64(truncatingIfNeeded: cursor &+ 2)
            return cursor &+ 1
        }
        var index = first
        while index < end {
            let next = self.index(after: index &+ 1)
            if isKey(index, name) {
                if isHinted { hints[(cursor &- first) >> 1] = UInt8(truncatingIfNeeded: (index &- first) >> 1) }
                tape[object &+ 1] = UInt64(truncatingIfNeeded: next)
                return index &+ 1
            }
            index = next
        }
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return TapeEntry.none }
        // A few letters beyond ASCII equal one in ASCII: the Kelvin sign equals K.
        var equivalent = TapeEntry.none
        forEachKey(of: object) { if equivalent == TapeEntry.none, (try? key($0)) == name { equivalent = $0 + 1 } }
        return equivalent
    }

    @inline(__always)
    private func isKey(_ index: Int, _ name: String) -> Bool {
        let entry = entry(index)
        let start = bytes + entry.offset
        let isEqual = name.utf8.withContiguousStorageIfAvailable { text in
            guard text.count == entry.length, let base = text.baseAddress else { return text.isEmpty && entry.length == 0 }
            return SWAR.isEqual(base, start, text.count)
        }
        return isEqual ?? name.utf8.elementsEqual(UnsafeBufferPointer(start: start, count: entry.length))
    }

    // MARK: - Paths

    /// The path to the number at a tape index and a byte offset; empty for one of another document, which a type may decode, too.
    ///
    /// The strategy converts the keys. Those of a `[String: Value]` cannot be told apart here, and are converted too.
    func path(to number: Int, at offset: Int) -> [any CodingKey] {
        guard number < index(after: Self.root), entry(number).offset == offset else { return [] }
        var path: [any CodingKey] = []
        var current = Self.root
        while current < number {
            let isObject = entry(current).is(.object)
            let keyLength = isObject ? 1 : 0
            var (value, item) = (current + 1 + 2 * keyLength, 0)
            while index(after: value) <= number {
                value = index(after: value) + keyLength
                item += 1
            }
            path.append(isObject ? converted((try? key(value - 1)) ?? "", path) : ItemKey(item))
            current = value
        }
        return path
    }

    /// A key of the object at a path, as the strategy converts it.
    fileprivate func converted(_ name: String, _ path: [any CodingKey]) -> any CodingKey {
        switch settings.keys {
        case .convertFromSnakeCase: NameKey(stringValue: convertedNames.converted(name))
        case .custom(let convert): convert(path + [NameKey(stringValue: name)])
        default: NameKey(stringValue: name)
        }
    }
}

/// The members of an object whose keys are converted, or cannot be compared byte by byte. Of equal keys the first wins.
///
/// Objects with the same keys in the same order share one, if they have at most 32 members.
final class MemberIndex {
    /// The distinct keys, in document order.
    private(set) var names: [String] = []
    /// Each member's key; `nil` if an earlier member has the same key. Empty if no other object shares this.
    private var keys: [String?] = []
    /// Member numbers by key; tape indexes of values, if no other object shares this.
    private var members: [String: Int] = [:]
    /// The object that it was made for.
    private let object: Int

    /// The most that a document keeps.
    private static let limit = 8

    static func of(_ decoding: Decoding) throws -> MemberIndex {
        let document = decoding.document
        for known in document.memberIndexes where known.hasKeys(of: decoding) { return known }
        // A closure gets the path, so it may convert equal keys to different ones.
        let convertsByPath = if case .custom = document.settings.keys { true } else { false }
        let canShare = document.entry(decoding.value).count <= KeySet.limit && !convertsByPath
        let new = try MemberIndex(decoding, isShared: canShare)
        if canShare, document.memberIndexes.count < limit { document.share(new) }
        return new
    }

    private init(_ decoding: Decoding, isShared: Bool) throws {
        let document = decoding.document
        object = decoding.value
        names.reserveCapacity(document.entry(object).count)
        let path = decoding.codingPath
        try document.forEachKey(of: object) { index in
            let name = document.converted(try document.key(index), path).stringValue
            let isNew = members[name] == nil
            if isNew {
                names.append(name)
                members[name] = isShared ? keys.count : index + 1
            }
            if isShared { keys.append(isNew ? name : nil) }
        }
    }

    private func hasKeys(of decoding: Decoding) -> Bool {
        let document = decoding.document
        let (entry, other) = (document.entry(object), document.entry(decoding.value))
        guard entry.count == other.count else { return false }
        var (index, otherIndex) = (object &+ 2, decoding.value &+ 2)
        while index < entry.end {
            let (key, otherKey) = (document.entry(index), document.entry(otherIndex))
            guard key.length == otherKey.length,
                SWAR.isEqual(document.bytes + key.offset, document.bytes + otherKey.offset, key.length)
            else { return false }
            index = document.index(after: index &+ 1)
            otherIndex = document.index(after: otherIndex &+ 1)
        }
        return true
    }

    /// - Returns: the value's index in the tape, or ``TapeEntry/none``.
    func index(of name: String, in decoding: Decoding) -> Int {
        if keys.isEmpty { return members[name] ?? TapeEntry.none }
        let document = decoding.document
        // An object's second word has the number and the index of the member that is expected next, because types mostly ask
        // for their keys in document order.
        let next = document.tape[decoding.value &+ 1]
        var (member, index) = (Int(truncatingIfNeeded: next >> 32), Int(truncatingIfNeeded: next & 0xFFFF_FFFF))
        if member >= keys.count || keys[member] != name {
            guard let found = members[name] else { return TapeEntry.none }
            (member, index) = (found, decoding.value &+ 2)
            for _ in 0..<found { index = document.index(after: index &+ 1) }
        }
        let after = document.index(after: index &+ 1)
        document.tape[decoding.value &+ 1] = UInt64(truncatingIfNeeded: member &+ 1) << 32 | UInt64(truncatingIfNeeded: after)
        return index &+ 1
    }
}
