import CoreAPIJSON
import TestSupport

/// Generated documents into types of every kind, and into one that follows generated scripts, ours beside `JSONDecoder`: the same
/// value, or an error of the same case, type and path.
///
/// `JSON_SEED` repeats a run, which prints its seed; `JSON_DOCUMENTS` is how many documents each case takes.
@Suite("Against JSONDecoder", .serialized)
struct DifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed: UInt64 = {
        let seed = environment["JSON_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32)
        // Printed at once, because a trap would print nothing.
        print("JSON_SEED=\(seed)")
        return seed
    }()
    /// With the default 40,000 documents for either test; Scripts/nightly takes more.
    private static let documents = environment["JSON_DOCUMENTS"].flatMap { Int($0) } ?? 4_000

    private struct Subject: Sendable {
        let name: String
        /// Whether there was a value, and the difference, if there is one.
        let compare: @Sendable (Decoders, [UInt8]) -> (isValue: Bool, difference: String?)

        init<Value: Decodable & Equatable & SendableMetatype>(_ type: Value.Type, isOrdered: Bool = true) {
            name = "\(type)"
            compare = { decoders, document in
                let (ours, foundation) = decoders.both(Value.self, Data(document))
                if ours == foundation { return (!ours.isFailure, nil) }
                // Foundation iterates over a hash table, so which of several invalid members it meets first is random.
                if !isOrdered, ours.isFailure, foundation.isFailure { return (false, nil) }
                return (false, "ours \(ours), Foundation's \(foundation)")
            }
        }
    }

    private static let subjects: [Subject] = [
        Subject(Flat.self), Subject([Flat].self), Subject(Tree.self, isOrdered: false), Subject(Integers.self),
        Subject(Bits.self), Subject([Bits].self), Subject(Huge.self), Subject(Shape.self), Subject([Shape].self),
        Subject(Words.self), Subject(Special.self, isOrdered: false), Subject(Derived.self), Subject(Walk.self),
        Subject(Maze.self), Subject(AnyValue.self, isOrdered: false), Subject(Anything.self), Subject([Int].self),
        Subject([String].self), Subject([Bool?].self), Subject([[Int]].self), Subject([String: Int].self, isOrdered: false),
        Subject([String: [Int]].self, isOrdered: false), Subject([Int: String].self, isOrdered: false),
        Subject([String: AnyValue].self, isOrdered: false), Subject([Word: Int].self, isOrdered: false), Subject(Box<Int>.self),
        Subject(Box<String>.self), Subject(Box<[String]>.self), Subject(Box<Double?>.self), Subject(Box<Bool>.self),
        Subject(Box<Date>.self), Subject(Box<UInt8>.self), Subject(Int.self), Subject(String.self), Subject(Bool?.self),
        Subject(Double?.self), Subject(Word.self), Subject(Level.self), Subject([Decimal].self), Subject([FloatBits].self),
        Subject(Set<Int>.self), Subject(ClosedRange<Int>.self), Subject(Int128.self), Subject(UInt64.self), Subject(Snake.self),
    ]

    private static func decoders() -> [Decoders] {
        let reversed = JSONDecoder.KeyDecodingStrategy.custom { path in
            AnyKey(stringValue: String((path.last?.stringValue ?? "").reversed()))
        }
        return [
            Decoders(), Decoders(), Decoders(), Decoders(.iso8601), Decoders(.secondsSince1970), Decoders(.millisecondsSince1970),
            Decoders(JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase), Decoders(reversed),
            // NaN does not equal NaN, and a date of NaN cannot be printed. StrategyTests compare the bits.
            Decoders(.convertFromString(positiveInfinity: "Infinity", negativeInfinity: "red", nan: "no NaN")),
            Decoders(JSONDecoder.DataDecodingStrategy.deferredToData),
        ]
    }

    @Test("the same results", arguments: 0..<10)
    func answers(part: Int) {
        let decoders = Self.decoders()[part]
        // Few random documents are valid.
        compare(part, leastValues: Self.documents / 50) { generator in
            let document = generator.document()
            let subject = generator.pick(Self.subjects)
            return (document, subject.name, { subject.compare(decoders, document) })
        }
    }

    @Test("the same results for types that use a decoder in every possible way", arguments: 0..<10)
    func scripts(part: Int) {
        let decoders = Self.decoders()[part]
        let subject = Subject(Reading.self)
        compare(part, leastValues: Self.documents / 3) { generator in
            let script = generator.decodingScript(depth: 1 + generator.below(3))
            let document = generator.document(for: script)
            return (document, "\(script)", { Reading.$script.withValue(script) { subject.compare(decoders, document) } })
        }
    }

    private func compare(
        _ part: Int, leastValues: Int,
        _ next: (inout DocumentGenerator) -> ([UInt8], name: String, () -> (isValue: Bool, difference: String?))
    ) {
        var generator = DocumentGenerator(seed: Self.seed &+ UInt64(part))
        var differences = 0
        var values = 0
        for _ in 0..<Self.documents {
            let (document, name, compare) = next(&generator)
            if document.hasZeroWithExponent { continue }
            let (isValue, found) = compare()
            values += isValue ? 1 : 0
            guard let difference = found else { continue }
            differences += 1
            let text = String(decoding: document, as: UTF8.self)
            if differences <= 5 {
                Issue.record("JSON_SEED=\(Self.seed), part \(part), \(name) from \(text.debugDescription): \(difference)")
            }
        }
        #expect(differences == 0)
        // Otherwise the documents would prove nothing.
        #expect(values > leastValues)
    }

    @Test("the same doubles and floats, to the bit")
    func numbers() {
        var generator = DocumentGenerator(seed: Self.seed)
        let decoders = Decoders()
        for _ in 0..<Self.documents {
            let texts = (0..<4).map { _ in Self.number(&generator) }
            let (ours, foundation) = decoders.both([Bits].self, "[\(texts.joined(separator: ","))]")
            if ours != foundation { Issue.record("JSON_SEED=\(Self.seed), \(texts): ours \(ours), Foundation's \(foundation)") }
        }
    }

    private static func number(_ generator: inout DocumentGenerator) -> String {
        switch generator.below(4) {
        case 0:
            let double = Double(bitPattern: generator.number())
            return double.isFinite ? "\(double)" : "1"
        case 1:
            return "\(generator.number() >> UInt64(generator.below(64)))e\(generator.below(600) - 320)".replacing(
                /^0e.*/, with: "0")
        case 2: return "\(generator.below(1_000_000)).\(generator.number())"
        // Half way between two doubles, and next to it.
        default: return "\(UInt64(1) << 53 + generator.number() >> 11)\(["", ".5", ".0", ".500000001"][generator.below(4)])"
        }
    }
}

struct Snake: Codable, Equatable {
    var userId: Int?
    var _aB_: String?
    var aB: Bool
    var name: String?
}

extension [UInt8] {
    /// Where JSONDecoder is known to be wrong; see `GrammarTests`.
    var hasZeroWithExponent: Bool {
        for (place, byte) in enumerated()
        where byte | 0x20 == UInt8(ascii: "e") && place > 0 && self[place - 1] == UInt8(ascii: "0") {
            let number = self[..<place].reversed().prefix {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
            }
            if number.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }) { return true }
        }
        return false
    }
}
