/// Decodes dictionaries with string keys. The keys are data, so no strategy converts them. Without the standard library's
/// container they are 10 × as fast as with Foundation, instead of 1.7 ×.
protocol DictionaryDecodable: Decodable {
    /// The members of the value that `decoding` stands for.
    static func decodeMembers(of decoding: Decoding) throws -> Self
}

extension Dictionary: DictionaryDecodable where Key == String, Value: Decodable {
    static func decodeMembers(of decoding: Decoding) throws -> [String: Value] {
        let document = decoding.document
        let entry = document.entry(decoding.value)
        guard entry.is(.object) else { throw decoding.mismatch([String: Any].self, at: decoding.value, decoding.codingPath) }
        if let members = try document.scalarMembers(of: decoding, as: Value.self) { return members }
        var members: [String: Value] = [:]
        members.reserveCapacity(Document.capacity(entry.count, of: Value.self))
        let names = try document.names(of: decoding.value)
        var index = decoding.value + 2
        for name in names {
            let isNew = members.index(forKey: name) == nil
            // With converted keys, Foundation also decodes the values that it drops.
            if isNew || !document.hasDefaultKeys {
                let key = NameKey(name, hasNumber: document.hasDefaultKeys)
                let value = try document.decode(Value.self, at: index + 1, in: decoding, key: key)
                if isNew { members[name] = value }
            }
            index = document.index(after: index + 1)
        }
        return members
    }
}
