internal import Foundation

/// The members of an object whose keys have to be converted, or cannot be compared byte by byte. Of equal keys the first counts.
///
/// Objects with the same keys in the same order share one, as long as they are few enough to be walked along.
final class MemberIndex {
    /// In the order of the document, each once.
    private(set) var names: [String] = []
    /// The key that each member has; `nil` when another one before it has the same.
    private var keys: [String?] = []
    /// By key, which member of the object it is.
    private var members: [String: Int] = [:]
    /// By key, where the value lies; only of an object that shares its index with no other.
    private var places: [String: Int] = [:]
    /// The object that it was made for.
    private let object: Int

    /// How many of them a document keeps.
    private static let limit = 8

    /// - Throws: ``JSONSyntaxError`` for a key that is no string of Unicode.
    static func of(_ decoding: Decoding) throws -> MemberIndex {
        let document = decoding.document
        for index in document.memberIndexes where index.hasKeys(of: decoding) { return index }
        let canShare = document.entry(decoding.value).count <= KeySet.limit && !document.convertsByPath
        let index = try MemberIndex(decoding, isShared: canShare)
        if canShare, document.memberIndexes.count < limit { document.share(index) }
        return index
    }

    private init(_ decoding: Decoding, isShared: Bool) throws {
        let document = decoding.document
        object = decoding.value
        let entry = document.entry(object)
        names.reserveCapacity(entry.count)
        let convert = Self.conversion(decoding)
        var place = object + 2
        while place < entry.end {
            let name = convert(try document.key(place))
            let isNew = isShared ? members.insert(keys.count, ifMissing: name) : places.insert(place + 1, ifMissing: name)
            if isNew { names.append(name) }
            if isShared { keys.append(isNew ? name : nil) }
            place = document.place(after: place + 1)
        }
    }

    private func hasKeys(of decoding: Decoding) -> Bool {
        let document = decoding.document
        let (entry, other) = (document.entry(object), document.entry(decoding.value))
        guard entry.count == other.count else { return false }
        var (place, otherPlace) = (object &+ 2, decoding.value &+ 2)
        while place < entry.end {
            let (key, otherKey) = (document.entry(place), document.entry(otherPlace))
            guard key.length == otherKey.length,
                SWAR.isEqual(document.bytes + key.offset, document.bytes + otherKey.offset, key.length)
            else { return false }
            place = document.place(after: place &+ 1)
            otherPlace = document.place(after: otherPlace &+ 1)
        }
        return true
    }

    /// - Returns: the place of the value, or ``TapeEntry/none``.
    func place(_ name: String, of decoding: Decoding) -> Int {
        if keys.isEmpty { return places[name] ?? TapeEntry.none }
        // Types ask for their keys in the order in which they mostly are written.
        let document = decoding.document
        var cursor = MemberCursor(bits: document.tape[decoding.value &+ 1])
        if cursor.member >= keys.count || keys[cursor.member] != name {
            guard let member = members[name] else { return TapeEntry.none }
            cursor = MemberCursor(member: 0, place: decoding.value &+ 2)
            while cursor.member < member { cursor.advance(in: document) }
        }
        let place = cursor.place &+ 1
        cursor.advance(in: document)
        document.tape[decoding.value &+ 1] = cursor.bits
        return place
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

/// A member of an object, by its number and by its place. The one that is expected next is kept in the object's second word.
private struct MemberCursor {
    var member: Int
    var place: Int

    init(member: Int, place: Int) {
        self.member = member
        self.place = place
    }

    init(bits: UInt64) {
        member = Int(truncatingIfNeeded: bits >> 32)
        place = Int(truncatingIfNeeded: bits & 0xFFFF_FFFF)
    }

    var bits: UInt64 { UInt64(truncatingIfNeeded: member) << 32 | UInt64(truncatingIfNeeded: place) }

    mutating func advance(in document: Document) {
        member &+= 1
        place = document.place(after: place &+ 1)
    }
}

extension Document {
    /// Whether equal keys may become different ones.
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
