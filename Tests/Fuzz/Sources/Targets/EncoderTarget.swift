import CoreAPIJSON
import Foundation

extension FuzzTarget {
    /// A byte that chooses strategies, and bytes that a value is made from. `JSONEncoder` must give the same bytes, or none.
    /// The text must decode to the same value.
    static let encoder = FuzzTarget(name: "encoder") { input in
        var input = input
        EncoderPair(input.byte()).compare(Made(&input, depth: 0))
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

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

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
