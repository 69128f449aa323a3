import CoreAPI
import CoreAPIJSON
import Foundation

@testable import CoreAPICore

extension FuzzTarget {
    /// JSON (RFC 8259), beside Foundation's own reader.
    static let json = FuzzTarget(name: "json") { input in
        let data = input.data
        guard let value = try? JSONValue(parsing: data) else { return }
        expect((try? JSONDecoder().decode(Anything.self, from: data)) != nil, "Foundation takes it too")
        guard let written = try? JSONEncoder().encode(value) else { return expect(false, "what was read can be written") }
        guard let again = try? JSONValue(parsing: written) else { return expect(false, "what was written can be read") }
        expect(isSame(again, value), "the same value: \(value), \(again)")
    }

    /// A number may be told with fewer digits than it was written with, and then be one that a `Decimal` can hold.
    private static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { key, value in right[key].map { isSame(value, $0) } ?? false }
        case (.double, _), (_, .double): left.double == right.double
        default: left == right
        }
    }

    /// Well-formed and nothing else asked.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// A byte that chooses strategies, and a document that is decoded into several types. `JSONDecoder` must give the same
    /// values, and reject the same documents.
    static let decoder = FuzzTarget(name: "decoder") { input in
        let choice = input.byte()
        let data = input.data
        // JSONDecoder rejects some zeros with an exponent.
        if hasZeroWithExponent(input.bytes) { return }
        let decoders = DecoderPair(choice)
        let types: [any (Decodable & Equatable).Type] = [
            Everything.self, Order.self, [Order].self, [String: Everything].self, [String: Int].self, [Int].self, [String?].self,
            [Event].self, Numbers.self,
        ]
        for type in types { decoders.compare(type, data) }
    }

    private static func hasZeroWithExponent(_ bytes: ArraySlice<UInt8>) -> Bool {
        // UTF-16 and UTF-32 have zero bytes between characters.
        let text = bytes.filter { $0 != 0 }
        for (place, byte) in text.enumerated() where byte | 0x20 == 0x65 && place > 0 && text[place - 1] == 0x30 {
            let number = text[..<place].reversed().prefix { (0x30...0x39).contains($0) || $0 == 0x2E }
            if number.allSatisfy({ $0 == 0x30 || $0 == 0x2E }) { return true }
        }
        return false
    }

    /// A byte that chooses strategies, and bytes that a value is made from. `JSONEncoder` must give the same bytes, or none.
    /// The text must decode to the same value.
    static let encoder = FuzzTarget(name: "encoder") { input in
        EncoderPair(input.byte()).compare(Made(&input, depth: 0))
    }
}

/// Both decoders with the same strategies.
private struct DecoderPair {
    private var ours = JSONBodyDecoder()
    private let foundation = JSONDecoder()

    init(_ choice: UInt8) {
        ours.dateDecodingStrategy = choice & 1 == 0 ? .iso8601 : .secondsSince1970
        ours.keyDecodingStrategy = choice & 2 == 0 ? .useDefaultKeys : .convertFromSnakeCase
        ours.dataDecodingStrategy = choice & 4 == 0 ? .base64 : .deferredToData
        if choice & 8 != 0 {
            ours.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        }
        foundation.dateDecodingStrategy = ours.dateDecodingStrategy
        foundation.keyDecodingStrategy = ours.keyDecodingStrategy
        foundation.dataDecodingStrategy = ours.dataDecodingStrategy
        foundation.nonConformingFloatDecodingStrategy = ours.nonConformingFloatDecodingStrategy
    }

    func compare<Value: Decodable & Equatable>(_ type: Value.Type, _ data: Data) {
        let result = Result { try self.ours.decode(type, from: data) }
        // Documents that Foundation accepts, but may take hours for.
        if case .failure(let error) = result, "\(error)".contains("combining marks") { return }
        let (ours, foundation) = (try? result.get(), try? foundation.decode(type, from: data))
        expect(
            (ours == nil) == (foundation == nil), "\(type): \(ours == nil ? "only JSONDecoder takes it" : "only ours takes it")")
        expect(ours == foundation, "\(type) has the same value")
    }
}

private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Decodes every value; numbers are compared by their bits.
private indirect enum Everything: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(UInt64, Int?)
    case string([UInt8])
    case array([Everything])
    case object([String: Everything])

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            var members: [String: Everything] = [:]
            for key in container.allKeys { members[key.stringValue] = try container.decode(Everything.self, forKey: key) }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var items: [Everything] = []
            while !container.isAtEnd { items.append(try container.decode(Everything.self)) }
            self = .array(items)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let bool = try? container.decode(Bool.self) {
                self = .bool(bool)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number.bitPattern, try? container.decode(Int.self))
            } else {
                self = .string(Array(try container.decode(String.self).utf8))
            }
        }
    }
}

private struct Order: Decodable, Equatable {
    var id: Int
    var name: String?
    var isActive: Bool?
    var lines: [Order]?
    var kind: Kind?
    var shape: Shape?
    var attributes: [String: String]?
    enum Kind: String, Decodable { case small, large }
    enum Shape: Decodable, Equatable { case circle(radius: Int), named(String), none }
}

private struct Event: Decodable, Equatable {
    var at: Date?
    var bytes: Data?
    var url: URL?
    var amount: Decimal?
}

private struct Numbers: Decodable, Equatable {
    var a: Int8?
    var b: UInt8?
    var c: Int32?
    var d: UInt64?
    var e: Int64?
    var f: Bits<Float>?
    var g: Bits<Double>?

    /// NaN is not equal to itself.
    struct Bits<Number: Decodable & BinaryFloatingPoint>: Decodable, Equatable {
        let text: String

        init(from decoder: any Decoder) throws {
            let number = try decoder.singleValueContainer().decode(Number.self)
            text = "\(number) \(number.sign)"
        }
    }
}

/// Both encoders with the same strategies. Keys are sorted, because `JSONEncoder` promises no other order.
private struct EncoderPair {
    private var ours = JSONBodyEncoder()
    private let foundation = JSONEncoder()

    init(_ choice: UInt8) {
        ours.outputFormatting = choice & 1 == 0 ? [.sortedKeys] : [.sortedKeys, .withoutEscapingSlashes]
        ours.dateEncodingStrategy = choice & 2 == 0 ? .iso8601 : .deferredToDate
        ours.keyEncodingStrategy = choice & 4 == 0 ? .useDefaultKeys : .convertToSnakeCase
        ours.dataEncodingStrategy = choice & 8 == 0 ? .base64 : .deferredToData
        if choice & 16 != 0 {
            ours.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        }
        foundation.outputFormatting = ours.outputFormatting
        foundation.dateEncodingStrategy = ours.dateEncodingStrategy
        foundation.keyEncodingStrategy = ours.keyEncodingStrategy
        foundation.dataEncodingStrategy = ours.dataEncodingStrategy
        foundation.nonConformingFloatEncodingStrategy = ours.nonConformingFloatEncodingStrategy
    }

    func compare(_ value: Made) {
        let (ours, foundation) = (try? ours.encode(value), try? foundation.encode(value))
        expect((ours == nil) == (foundation == nil), ours == nil ? "only JSONEncoder takes it" : "only ours takes it")
        expect(ours == foundation, "the same bytes")
        guard let ours else { return }
        expect((try? JSONSerialization.jsonObject(with: ours, options: .fragmentsAllowed)) != nil, "what is written can be read")
    }
}

/// A value made from bytes: each choice takes one byte; numbers and texts take the following ones.
private indirect enum Made: Encodable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case small(Int8)
    case double(Double)
    case float(Float)
    case text(String)
    case date(Date)
    case data(Data)
    case url(URL)
    case decimal(Decimal)
    case array([Made])
    case object([(String, Made)])
    case dictionary([String: Made])
    case numbered([Int: Made])

    init(_ input: inout FuzzInput, depth: Int) {
        let choice = input.byte()
        switch choice % (depth < 12 ? 16 : 12) {
        case 0: self = .null
        case 1: self = .bool(choice & 0x80 != 0)
        case 2: self = .integer(Int64(bitPattern: Self.word(&input)))
        case 3: self = .unsigned(Self.word(&input))
        case 4: self = .small(Int8(bitPattern: input.byte()))
        case 5: self = .double(Double(bitPattern: Self.word(&input)))
        case 6: self = .float(Float(bitPattern: UInt32(truncatingIfNeeded: Self.word(&input))))
        case 7: self = .text(input.lineOfText())
        // Years with four digits in ISO 8601.
        case 8: self = .date(Date(timeIntervalSince1970: Double(Self.word(&input) % 250_000_000_000) - 60_000_000_000))
        case 9: self = .data(Data(input.line()))
        case 10: self = URL(string: input.lineOfText()).map(Made.url) ?? .null
        case 11: self = Decimal(string: input.lineOfText()).map(Made.decimal) ?? .null
        case 12: self = .array(Self.several(&input).map { _ in Made(&input, depth: depth + 1) })
        case 13: self = .object(Self.several(&input).map { _ in (input.lineOfText(), Made(&input, depth: depth + 1)) })
        case 14:
            let pairs = Self.several(&input).map { _ in (input.lineOfText(), Made(&input, depth: depth + 1)) }
            self = .dictionary(Dictionary(pairs) { first, _ in first })
        default:
            let pairs = Self.several(&input).map { _ in (Int(input.byte()), Made(&input, depth: depth + 1)) }
            self = .numbered(Dictionary(pairs) { first, _ in first })
        }
    }

    private static func word(_ input: inout FuzzInput) -> UInt64 {
        (0..<8).reduce(0) { word, _ in word << 8 | UInt64(input.byte()) }
    }

    private static func several(_ input: inout FuzzInput) -> Range<Int> { 0..<Int(input.byte() % 8) }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in members { try container.encode(value, forKey: Key(stringValue: name)) }
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(item) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .unsigned(let value): try container.encode(value)
            case .small(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .float(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            case .date(let value): try container.encode(value)
            case .data(let value): try container.encode(value)
            case .url(let value): try container.encode(value)
            case .decimal(let value): try container.encode(value)
            case .dictionary(let value): try container.encode(value)
            case .numbered(let value): try container.encode(value)
            case .null, .array, .object: try container.encodeNil()
            }
        }
    }
}
