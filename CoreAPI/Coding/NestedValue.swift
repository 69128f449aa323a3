internal import CoreAPIHTTP
internal import CoreAPIJSON
internal import Foundation

/// Decodes the value under a path of keys, with any coder. The path travels beside the decoder (``NestedPath``), because a coder
/// accepts types but no values.
///
/// A key may be spelled as in the body or as the coder's strategy converts it.
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
        // Not by the type's own initializer, which does not know the coder's date strategy.
        value = try decoder.singleValueContainer().decode(path.type as? Value.Type ?? Value.self)
    }

    /// At most ten of the existing names, for the error of a missing one.
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
        let reason = "there are \(items.currentIndex) items"
        throw DecodingError.keyNotFound(FieldName(index: index), .init(codingPath: items.codingPath, debugDescription: reason))
    }
}

package struct NestedPath: Sendable {
    @TaskLocal package static var current = NestedPath(keys: [], type: Never.self, coder: .json)

    /// From the top.
    let keys: [String]
    /// The type of the value; for a class, perhaps a subclass of the requested one.
    let type: any (Decodable & SendableMetatype).Type
    /// Reads the body.
    let coder: BodyCoder

    package init(keys: [String], type: any (Decodable & SendableMetatype).Type, coder: BodyCoder) {
        (self.keys, self.type, self.coder) = (keys, type, coder)
    }

    /// The key at a depth as the coder converts it, found by decoding a document with only that key; `nil` if the coder reads no
    /// JSON. Called only if the key is not found as spelled.
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
