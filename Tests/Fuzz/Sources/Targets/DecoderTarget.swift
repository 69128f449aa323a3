import CoreAPIJSON
import Foundation

extension FuzzTarget {
    /// A byte that chooses strategies, and a document that is decoded into several types. `JSONDecoder` must give the same
    /// values, and reject the same documents.
    static let decoder = FuzzTarget(name: "decoder") { input in
        var input = input
        let choice = input.byte()
        let data = input.data
        // JSONDecoder rejects some zeros with an exponent.
        if hasZeroWithExponent(input.bytes) { return }
        let decoders = DecoderPair(choice)
        decoders.compare(Everything.self, data)
        decoders.compare(Order.self, data)
        decoders.compare([Order].self, data)
        decoders.compare([String: Everything].self, data)
        decoders.compare([String: Int].self, data)
        decoders.compare([Int].self, data)
        decoders.compare([String?].self, data)
        decoders.compare([Event].self, data)
        decoders.compare(Numbers.self, data)
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

/// Decodes every value; numbers are compared by their bits.
private indirect enum Everything: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(UInt64, Int?)
    case string([UInt8])
    case array([Everything])
    case object([String: Everything])

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

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
