/// Decodes what lies under a path of keys, with any coder: the path travels beside the decoder (``NestedPath``), because a coder can be
/// handed types but no values.
struct NestedValue<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        var decoder = decoder
        let path = NestedPath.current
        for key in path.keys {
            // A number may be the key of an object as well as a place in an array; the body decides.
            if let index = Int(key), "\(index)" == key, var items = try? decoder.unkeyedContainer() {
                decoder = try Self.element(index, of: &items)
            } else {
                let members = try decoder.container(keyedBy: FieldName.self)
                guard members.contains(FieldName(key)) else {
                    throw DecodingError.keyNotFound(
                        FieldName(key), .init(codingPath: members.codingPath, debugDescription: "there is no such key"))
                }
                decoder = try members.superDecoder(forKey: FieldName(key))
            }
        }
        // Not by the type's own initializer, which knows nothing of how the coder tells dates.
        value = try decoder.singleValueContainer().decode(path.type as? Value.Type ?? Value.self)
    }

    private static func element(_ index: Int, of items: inout any UnkeyedDecodingContainer) throws -> any Decoder {
        while index >= 0, !items.isAtEnd {
            let element = try items.superDecoder()
            if items.currentIndex > index { return element }
        }
        throw DecodingError.keyNotFound(
            FieldName(index: index),
            .init(codingPath: items.codingPath, debugDescription: "there are \(items.currentIndex) items"))
    }
}

struct NestedPath: Sendable {
    @TaskLocal static var current = NestedPath(keys: [], type: Never.self)

    /// From the top.
    let keys: [String]
    /// Of what lies there; of a class, perhaps an heir of the one that is asked for.
    let type: any (Decodable & SendableMetatype).Type
}
