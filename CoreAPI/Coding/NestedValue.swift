internal import CoreAPIHTTPSupport
internal import CoreAPIJSON
internal import Foundation

/// Decodes what lies under a path of keys, with any coder: the path travels beside the decoder (``NestedPath``), because a coder
/// can be handed types but no values.
///
/// A key may be spelled as the body has it or as the coder's strategy converts it.
package struct NestedValue<Value: Decodable>: Decodable {
    package let value: Value

    package init(from decoder: any Decoder) throws {
        var decoder = decoder
        let path = NestedPath.current
        for (depth, key) in path.keys.enumerated() {
            // A number may be the key of an object as well as an index of an array; the body decides.
            if let index = Int(key), "\(index)" == key, var items = try? decoder.unkeyedContainer() {
                decoder = try Self.element(index, of: &items)
            } else {
                let members = try decoder.container(keyedBy: FieldName.self)
                guard let name = [FieldName(key), path.converted(depth)].compactMap({ $0 }).first(where: members.contains) else {
                    throw DecodingError.keyNotFound(
                        FieldName(key), .init(codingPath: members.codingPath, debugDescription: Self.list(members.allKeys)))
                }
                decoder = try members.superDecoder(forKey: name)
            }
        }
        // Not by the type's own initializer, which knows nothing of how the coder tells dates.
        value = try decoder.singleValueContainer().decode(path.type as? Value.Type ?? Value.self)
    }

    /// The names that there are instead of the one that is missing; ten at the most.
    private static func list(_ keys: [FieldName]) -> String {
        guard !keys.isEmpty else { return "there are no keys" }
        let names = keys.map(\.stringValue).sorted()
        let rest = names.count > 10 ? " and \(names.count - 10) more" : ""
        return "there are " + names.prefix(10).map { "'\($0.shortened())'" }.joined(separator: ", ") + rest
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

package struct NestedPath: Sendable {
    @TaskLocal package static var current = NestedPath(keys: [], type: Never.self, coder: .json)

    /// From the top.
    let keys: [String]
    /// Of what lies there; of a class, perhaps an heir of the one that is asked for.
    let type: any (Decodable & SendableMetatype).Type
    /// Reads the body.
    let coder: BodyCoder

    package init(keys: [String], type: any (Decodable & SendableMetatype).Type, coder: BodyCoder) {
        self.keys = keys
        self.type = type
        self.coder = coder
    }

    /// What the coder makes of the key at a depth, found by a document with no other keys; `nil` where the coder reads no JSON.
    /// Asked only where the key is not found as it is spelled.
    func converted(_ depth: Int) -> FieldName? {
        let document = keys[...depth].reversed().reduce(JSONValue.null) { inner, key in
            Int(key) == nil || inner == .null ? [key: inner] : [inner]
        }
        guard let data = try? JSONBodyEncoder().encode(document) else { return nil }
        return (try? coder.decode(InnermostKey.self, from: data))?.name
    }
}

/// The last key of a document in which every object and array holds one value.
private struct InnermostKey: Decodable {
    var name: FieldName?

    init(from decoder: any Decoder) throws {
        var decoder = decoder
        while true {
            if let members = try? decoder.container(keyedBy: FieldName.self), let key = members.allKeys.first {
                name = key
                decoder = try members.superDecoder(forKey: key)
            } else if var items = try? decoder.unkeyedContainer(), !items.isAtEnd {
                decoder = try items.superDecoder()
            } else {
                return
            }
        }
    }
}
