import CoreAPIJSON
import TestSupport

/// Generated values, ours beside `JSONEncoder`: the same bytes, or an error of the same kind with a value of the same type and
/// the same path.
///
/// `JSON_SEED` repeats a run, which prints its seed; `JSON_VALUES` is how many values each case takes.
@Suite("Against JSONEncoder", .serialized)
struct EncodingDifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed: UInt64 = {
        let seed = environment["JSON_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32)
        // Printed at once, because a trap would print nothing.
        print("JSON_SEED=\(seed)")
        return seed
    }()
    private static let values = environment["JSON_VALUES"].flatMap { Int($0) } ?? 2_000

    private static func encoders() -> [Encoders] {
        let path = JSONEncoder.KeyEncodingStrategy.custom { path in
            AnyKey(stringValue: path.map { "\($0.stringValue)\($0.intValue ?? -1)" }.joined(separator: ">"))
        }
        let odd = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
            positiveInfinity: "+/∞", negativeInfinity: "", nan: "n\"n")
        return [
            Encoders(), Encoders([.sortedKeys, .withoutEscapingSlashes]),
            Encoders([.sortedKeys, .withoutEscapingSlashes], dates: .iso8601, floats: odd),
            Encoders(dates: .secondsSince1970, data: .deferredToData), Encoders(dates: .millisecondsSince1970, floats: odd),
            Encoders(keys: .convertToSnakeCase), Encoders(dates: .iso8601, keys: path),
            Encoders(
                dates: .custom { date, encoder in
                    var container = encoder.members()
                    try container.encode(encoder.codingPath.map(\.stringValue), forKey: "path")
                    if date.timeIntervalSinceReferenceDate > 0 { try container.encode(5, forKey: "x") }
                }, data: .custom { data, encoder in if data.count > 2 { try encoder.single(data.count) } }, floats: odd),
            Encoders([.sortedKeys, .prettyPrinted]), Encoders([.withoutEscapingSlashes], floats: odd),
        ]
    }

    private static func difference(_ encoders: Encoders, _ value: some Encodable) -> (isText: Bool, difference: String?) {
        let (ours, foundation) = encoders.both(value)
        if ours == foundation { return (!ours.isFailure, nil) }
        // Foundation copies a dictionary into another, so which of several invalid members it meets first is random.
        if case .useDefaultKeys = encoders.ours.keyEncodingStrategy {
        } else if ours.isFailure, foundation.isFailure {
            return (false, nil)
        }
        // Without an order of keys the same value has several texts.
        if !encoders.ours.outputFormatting.contains(.sortedKeys), case .text(let ours) = ours, case .text(let other) = foundation,
            let mine = try? JSONDecoder().decode(AnyValue.self, from: Data(ours.utf8)),
            let theirs = try? JSONDecoder().decode(AnyValue.self, from: Data(other.utf8)), mine == theirs
        {
            return (true, nil)
        }
        return (false, "ours \(ours), Foundation's \(foundation)")
    }

    @Test("the same bytes for types that use an encoder in every possible way", arguments: 0..<10)
    func scripts(part: Int) {
        let encoders = Self.encoders()[part]
        var generator = DocumentGenerator(seed: Self.seed &+ UInt64(part))
        var (differences, texts) = (0, 0)
        for _ in 0..<Self.values {
            let script = generator.encodingScript(depth: 1 + generator.below(4))
            let (isText, found) = Self.difference(encoders, script)
            texts += isText ? 1 : 0
            guard let difference = found else { continue }
            differences += 1
            if differences <= 5 {
                Issue.record("JSON_SEED=\(Self.seed), part \(part), \("\(script)".prefix(600)): \(difference.prefix(1_200))")
            }
        }
        #expect(differences == 0)
        // Otherwise the values would prove nothing.
        #expect(texts > Self.values / 2)
    }

    @Test("the same bytes for decoded documents", arguments: 0..<8)
    func documents(part: Int) {
        let encoders = Self.encoders()[part]
        var generator = DocumentGenerator(seed: Self.seed &+ 100 &+ UInt64(part))
        var texts = 0
        func compare<Value: Codable>(_ type: Value.Type, _ document: [UInt8]) {
            guard let value = try? JSONBodyDecoder().decode(type, from: Data(document)) else { return }
            let (isText, found) = Self.difference(encoders, value)
            texts += isText ? 1 : 0
            if let found { Issue.record("JSON_SEED=\(Self.seed), part \(part), \(type): \(found)") }
        }
        for _ in 0..<Self.values {
            let document = generator.document()
            compare(Flat.self, document)
            compare([Flat].self, document)
            compare(Tree.self, document)
            compare(Shape.self, document)
            compare(Words.self, document)
            compare(Snake.self, document)
            compare(AnyValue.self, document)
            compare([String: [Int]].self, document)
            compare([Int: String].self, document)
        }
        #expect(texts > Self.values / 2)
    }

    @Test("the same texts for doubles and floats, and ours decode to the same bits")
    func numbers() throws {
        var generator = DocumentGenerator(seed: Self.seed &+ 200)
        let encoders = Encoders()
        for _ in 0..<Self.values {
            let doubles = (0..<8).map { _ in generator.double() }.filter(\.isFinite)
            let floats = (0..<4).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: generator.number())) }.filter(\.isFinite)
            encoders.same(doubles)
            encoders.same(floats)
            let back = try JSONBodyDecoder().decode([Double].self, from: encoders.ours.encode(doubles))
            #expect(back.map(\.bitPattern) == doubles.map(\.bitPattern))
        }
    }
}

extension AnyValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .null: try encoder.single(Int?.none)
        case .bool(let value): try encoder.single(value)
        case .integer(let value): try encoder.single(value)
        case .number(let bits): try encoder.single(Double(bitPattern: bits))
        case .string(let bytes): try encoder.single(String(decoding: bytes, as: UTF8.self))
        case .array(let items): try encoder.single(items)
        case .object(let members):
            var container = encoder.members()
            for (name, value) in members { try container.encode(value, forKey: AnyKey(stringValue: name)) }
        }
    }
}
