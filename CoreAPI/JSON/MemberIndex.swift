internal import Foundation

/// The members of an object whose keys have to be converted, or cannot be compared byte by byte. Of equal keys the first counts.
final class MemberIndex {
    /// In the order of the document, each once.
    private(set) var names: [String] = []
    private var places: [String: Int] = [:]

    /// - Throws: ``Malformed`` for a key that is no string of Unicode.
    init(_ decoding: Decoding) throws {
        let document = decoding.document
        let entry = document.entry(decoding.value)
        names.reserveCapacity(entry.count)
        places.reserveCapacity(entry.count)
        let convert = Self.conversion(decoding)
        var place = decoding.value + 2
        while place < entry.end {
            let name = convert(try document.string(place) ?? "")
            if places.updateValue(place + 1, ifMissing: name) { names.append(name) }
            place = document.place(after: place + 1)
        }
    }

    func place(_ name: String) -> Int {
        places[name] ?? Document.missing
    }

    private static func conversion(_ decoding: Decoding) -> (String) -> String {
        switch decoding.document.settings.keyDecodingStrategy {
        case .convertFromSnakeCase: return decoding.document.convertedNames.converted
        case .custom(let convert):
            let path = decoding.codingPath
            return { convert(path + [NameKey(stringValue: $0)]).stringValue }
        default: return { $0 }
        }
    }
}

extension Dictionary where Value == Int {
    /// - Returns: whether the key was missing.
    fileprivate mutating func updateValue(_ value: Int, ifMissing key: Key) -> Bool {
        let isMissing = self[key] == nil
        if isMissing { self[key] = value }
        return isMissing
    }
}
