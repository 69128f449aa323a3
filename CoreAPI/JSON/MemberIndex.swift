internal import Foundation

/// The members of an object whose keys are converted, or cannot be compared byte by byte. Of equal keys the first wins.
///
/// Objects with the same keys in the same order share one, if they have at most 32 members.
final class MemberIndex {
    /// The distinct keys, in document order.
    private(set) var names: [String] = []
    /// Each member's key; `nil` if an earlier member has the same key.
    private var keys: [String?] = []
    /// Member numbers by key.
    private var members: [String: Int] = [:]
    /// Tape indexes of values by key, if no other object shares this.
    private var indexes: [String: Int] = [:]
    /// The object that it was made for.
    private let object: Int

    /// The most that a document keeps.
    private static let limit = 8

    /// - Throws: ``JSONSyntaxError`` for a key that is not valid Unicode.
    static func of(_ decoding: Decoding) throws -> MemberIndex {
        let document = decoding.document
        for known in document.memberIndexes where known.hasKeys(of: decoding) { return known }
        let canShare = document.entry(decoding.value).count <= KeySet.limit && !document.convertsByPath
        let new = try MemberIndex(decoding, isShared: canShare)
        if canShare, document.memberIndexes.count < limit { document.share(new) }
        return new
    }

    private init(_ decoding: Decoding, isShared: Bool) throws {
        let document = decoding.document
        object = decoding.value
        let entry = document.entry(object)
        names.reserveCapacity(entry.count)
        let convert = Self.conversion(decoding)
        var index = object + 2
        while index < entry.end {
            let name = convert(try document.key(index))
            let isNew = isShared ? members.insert(keys.count, ifMissing: name) : indexes.insert(index + 1, ifMissing: name)
            if isNew { names.append(name) }
            if isShared { keys.append(isNew ? name : nil) }
            index = document.index(after: index + 1)
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
        if keys.isEmpty { return indexes[name] ?? TapeEntry.none }
        // Types mostly ask for their keys in document order.
        let document = decoding.document
        var cursor = MemberCursor(bits: document.tape[decoding.value &+ 1])
        if cursor.member >= keys.count || keys[cursor.member] != name {
            guard let member = members[name] else { return TapeEntry.none }
            cursor = MemberCursor(member: 0, index: decoding.value &+ 2)
            while cursor.member < member { cursor.advance(in: document) }
        }
        let index = cursor.index &+ 1
        cursor.advance(in: document)
        document.tape[decoding.value &+ 1] = cursor.bits
        return index
    }

    private static func conversion(_ decoding: Decoding) -> (String) -> String {
        switch decoding.document.settings.keys {
        case .convertFromSnakeCase: return decoding.document.convertedNames.converted
        case .custom(let convert):
            let path = decoding.codingPath
            return { convert(path + [NameKey(stringValue: $0)]).stringValue }
        default: return { $0 }
        }
    }
}

/// A member's number and its index in the tape. An object's second word holds the one that is expected next.
private struct MemberCursor {
    var member: Int
    var index: Int

    init(member: Int, index: Int) {
        self.member = member
        self.index = index
    }

    init(bits: UInt64) {
        member = Int(truncatingIfNeeded: bits >> 32)
        index = Int(truncatingIfNeeded: bits & 0xFFFF_FFFF)
    }

    var bits: UInt64 { UInt64(truncatingIfNeeded: member) << 32 | UInt64(truncatingIfNeeded: index) }

    mutating func advance(in document: Document) {
        member &+= 1
        index = document.index(after: index &+ 1)
    }
}

extension Document {
    /// Whether the strategy may convert equal keys to different ones.
    fileprivate var convertsByPath: Bool {
        if case .custom = settings.keys { true } else { false }
    }
}

extension Dictionary where Value == Int {
    /// - Returns: whether the key was missing.
    fileprivate mutating func insert(_ value: Int, ifMissing key: Key) -> Bool {
        let isMissing = self[key] == nil
        if isMissing { self[key] = value }
        return isMissing
    }
}
