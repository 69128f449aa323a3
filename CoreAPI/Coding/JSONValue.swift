internal import CoreAPIJSON
public import Foundation

/// Any JSON, for responses that are mapped manually and bodies without a type.
///
/// ```swift
/// let answer = try await manager.request(endpoint: .search, as: .json)
/// let total = answer["data"]?["items"]?[0]?["price"]?.decimal
/// ```
public enum JSONValue: Codable, Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// Exact for every amount of money, unlike a binary fraction.
    case decimal(Decimal)
    /// A number that no decimal holds exactly.
    case double(Double)
    /// A string, unescaped.
    case string(String)
    /// An array, in its order.
    case array([JSONValue])
    /// An object, without the order of its names.
    case object([String: JSONValue])

    /// Reads JSON text (RFC 8259), as ``ResponseDecoding/json`` does. UTF-8, UTF-16 or UTF-32; at most 512 levels of nesting. Of
    /// equal keys the first wins.
    ///
    /// - Throws: `DecodingError.dataCorrupted`.
    public init(parsing data: Data) throws {
        do {
            let root = try JSONNode.root(of: data).map { try JSONValue($0) }
            self = try root ?? JSONDecoder().decodeWithinEnd(JSONValue.self, from: data)
        } catch let malformed as JSONSyntaxError {
            throw malformed.decodingError(in: data)
        }
    }

    /// - Throws: ``JSONSyntaxError``.
    private init(_ node: JSONNode) throws {
        switch try node.kind() {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .number(let text): self = try Self.number(text, at: node.offset)
        case .array: self = .array(try node.mapItems { try JSONValue($0) })
        case .object: self = .object(try node.mapMembers { try JSONValue($0) })
        }
    }

    /// A `Decimal` if it holds all digits, else a `Double`.
    private static func number(_ text: String, at offset: Int) throws -> JSONValue {
        // A Decimal holds 38 digits. Beyond its range, which only an exponent reaches, it is zero or NaN.
        if text.utf8.count <= 38, let decimal = Decimal(string: text), decimal.isFinite,
            !decimal.isZero || !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
        {
            return .decimal(decimal)
        }
        guard let double = Double(text), double.isFinite else {
            throw JSONSyntaxError(reason: "expected a number that a Double can hold", offset: offset)
        }
        return .double(double)
    }

    /// Reads any JSON as a part of another type. The kinds that may be deep are tried first.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else if (try? decoder.container(keyedBy: FieldName.self)) != nil {
            self = .object(try container.decode([String: JSONValue].self))
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Decimal.self) {
            self = .decimal(value)
        } else {
            self = .double(try container.decode(Double.self))
        }
    }

    /// Writes the value as it was read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue {
    /// The value under a key; `nil` unless this is an object with that key.
    public subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The item at an index from 0; `nil` unless this is an array with that index.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let items) = self, items.indices.contains(index) { items[index] } else { nil }
    }

    /// The text; `nil` for another kind.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The truth value; `nil` for another kind.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number; `nil` for another kind, and if a `Decimal` cannot hold it.
    public var decimal: Decimal? { if case .decimal(let value) = self { value } else { nil } }
    /// The number, rounded to the nearest `Double`; `nil` for another kind.
    public var double: Double? {
        switch self {
        // Not NSDecimalNumber, whose `doubleValue` is often one bit off.
        case .decimal(let value): Double("\(value)")
        case .double(let value): value
        default: nil
        }
    }
    /// The number; `nil` for another kind, and if an `Int` cannot hold it exactly.
    public var int: Int? { decimal.flatMap { Int("\($0)") } }
    /// The items; `nil` for another kind.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members; `nil` for another kind.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
    /// Whether it is `null`.
    public var isNull: Bool { self == .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .decimal(Decimal(value)) }
    /// A number, parsed from its shortest decimal form: `1.5` is exact.
    public init(floatLiteral value: Double) {
        let decimal = value.isFinite ? Decimal(string: "\(value)", locale: Locale(identifier: "en_US_POSIX")) : nil
        self = decimal.map(JSONValue.decimal) ?? .double(value)
    }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of equal keys the last wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { $1 }) }
}
