import CoreAPIJSON
import TestSupport

@Suite("Corners of encoding, as JSONEncoder has them")
struct EncodingCornerTests {
    private static let flat = Flat(id: 1, name: "a", price: 2.5, isActive: true, tags: ["x"])

    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let act: @Sendable (any Encoder) throws -> Void

        init(_ name: String, _ act: @escaping @Sendable (any Encoder) throws -> Void) {
            testDescription = name
            self.act = act
        }
    }

    private static let containerCases: [Case] = [
        Case("the same key twice") {
            var members = $0.members()
            try members.encode(1, forKey: "a")
            try members.encode(flat, forKey: "b")
            try members.encode("2", forKey: "a")
            try members.encodeNil(forKey: "b")
        },
        Case("equal keys with different bytes") {
            var members = $0.members()
            try members.encode(1, forKey: "e\u{301}")
            try members.encode(2, forKey: "é")
            try members.encode(3, forKey: "K")
            try members.encode(4, forKey: "\u{212A}")
        },
        Case("a nested container and a value for the same key") {
            var members = $0.members()
            var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: "a")
            try members.encode(["x": 1], forKey: "a")
            try nested.encode(2, forKey: "y")
        },
        Case("a value and a nested container for the same key") {
            var members = $0.members()
            try members.encode(["x": 1], forKey: "a")
            try members.encode([["y"]], forKey: "b")
            var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: "a")
            try nested.encode(2, forKey: "y")
            var items = members.nestedUnkeyedContainer(forKey: "b")
            try items.encode(items.count)
        },
        Case("one nested container twice") {
            var members = $0.members()
            var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: "é")
            var again = members.nestedContainer(keyedBy: AnyKey.self, forKey: "e\u{301}")
            try nested.encode(1, forKey: "x")
            try again.encode(2, forKey: "y")
            try nested.encode(3, forKey: "y")
        },
        Case("many nested containers, each of them twice") {
            var members = $0.members()
            for round in 0..<2 {
                for index in 0..<100 {
                    let key = AnyKey(stringValue: "key\(index)")
                    var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: key)
                    try nested.encode(index, forKey: AnyKey(stringValue: "round\(round)"))
                }
            }
        },
        Case("members after a single value container") {
            try $0.single(["a": 1, "b": 2])
            var members = $0.members()
            try members.encode(3, forKey: "b")
        },
        Case("a single value into an object") {
            var members = $0.members()
            try members.encode(1, forKey: "a")
            try $0.single(["b": 2])
            // The object is closed, so this is not written.
            try members.encode(3, forKey: "lost")
        },
        Case("items after a single value container") {
            try $0.single([1.5, 2])
            var items = $0.unkeyedContainer()
            try items.encode(items.count)
        },
        Case("an object into an object") {
            var members = $0.members()
            try members.encode(1, forKey: "a")
            try flat.encode(to: $0)
            try members.encode(2, forKey: "id")
        },
        Case("super encoders of an array, in the order of their release") {
            var items = $0.unkeyedContainer()
            try items.encode(1)
            let first = items.superEncoder()
            try items.encode(2)
            let second = items.superEncoder()
            try second.single("second")
            try withExtendedLifetime(second) { try first.single(["first"]) }
            try items.encode(items.count)
        },
        Case("a super encoder that encodes nothing, and one that is never used") {
            var members = $0.members()
            _ = members.superEncoder()
            _ = members.superEncoder(forKey: "a")
            try members.encode(Act { _ in }, forKey: "b")
            var items = members.nestedUnkeyedContainer(forKey: "c")
            _ = items.superEncoder()
        },
        Case("nothing at all") { _ in },
        Case("nothing, through a single value container") { try $0.single(Act { _ in }) },
        Case("nothing, through an optional") { try Act { _ in }.encode(to: $0) },
        Case("an empty object") { _ = $0.members() },
        Case("an empty array") { _ = $0.unkeyedContainer() },
        Case("a single value container without a value") { _ = $0.singleValueContainer() },
        Case("paths") { encoder in
            var paths: [String] = []
            func note(_ path: [any CodingKey]) { paths.append(path.map(\.stringValue).joined(separator: ".")) }
            var members = encoder.members()
            var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: "n")
            note(nested.codingPath)
            var items = nested.nestedUnkeyedContainer(forKey: "u")
            note(items.codingPath)
            try items.encode(1)
            let parent = items.superEncoder()
            note(parent.codingPath)
            var inner = parent.members()
            try inner.encode(Act { note($0.codingPath) }, forKey: "x")
            try inner.encode(["k": [Act { note($0.codingPath) }]], forKey: "d")
            note(nested.superEncoder().codingPath)
            note(members.superEncoder(forKey: "s").unkeyedContainer().codingPath)
            try members.encode(paths, forKey: "paths")
        },
        Case("NaN, deeply nested") {
            var members = $0.members()
            var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: "n")
            var items = nested.nestedUnkeyedContainer(forKey: "u")
            try items.encode(1)
            try items.encode([1: ["a": Double.nan]])
        },
        Case("an error of the type's own") {
            throw EncodingError.invalidValue(5, .init(codingPath: $0.codingPath, debugDescription: ""))
        },
        Case("another error") { _ in throw CancellationError() },
    ]

    @Test("containers of one value", arguments: containerCases)
    private func containers(_ subject: Case) throws {
        for encoders in [Encoders(), Encoders(keys: .convertToSnakeCase), Encoders([.sortedKeys, .prettyPrinted])] {
            let value = Act(subject.act)
            for verdicts in [encoders.both(value), encoders.both([value]), encoders.both(["k": value as Act?])] {
                #expect(verdicts.ours == verdicts.foundation)
            }
        }
        // In any order, the decoded value is the same.
        let (ours, foundation) = Encoders([]).both(Act(subject.act))
        if case .text(let ours) = ours, case .text(let foundation) = foundation {
            let mine = try JSONDecoder().decode(AnyValue.self, from: Data(ours.utf8))
            #expect(try mine == JSONDecoder().decode(AnyValue.self, from: Data(foundation.utf8)))
        } else {
            #expect(ours == foundation)
        }
    }

    @Test("single values")
    func fragments() throws {
        let encoders = Encoders()
        for verdicts in [
            encoders.both(5), encoders.both("a/\"é"), encoders.both(true), encoders.both(Int?.none), encoders.both(0.1 as Float),
            encoders.both(-0.0), encoders.both([Int]()), encoders.both([String: Int]()), encoders.both(Decimal.nan),
            encoders.both(try #require(URL(string: "x", relativeTo: URL(string: "http://a.example/b/")))),
            encoders.both(Word.red),
            encoders.both([Word.red: 1]), encoders.both(1..<3), encoders.both(UInt64.max), encoders.both(Int128.min),
            encoders.both([Int8.min, 0, 127]), encoders.both([UInt64.max]), encoders.both(Optional(Optional("x"))),
            encoders.both([[[Int?]]]()), encoders.both(["b": [1: [nil, 2 as UInt8?]]]), encoders.both([Int?.none, 1]),
            encoders.both(["a": Int?.none]), encoders.both(Date?.none), encoders.both(Set([1.5])),
        ] { #expect(verdicts.ours == verdicts.foundation) }
    }

    @Test("without sorting, members come in the order in which they were encoded")
    func order() throws {
        let value = Act {
            var members = $0.members()
            for name in ["z", "a", "é", "b"] { try members.encode(1, forKey: AnyKey(stringValue: name)) }
            try members.encode(2, forKey: "a")
        }
        #expect(EncodeVerdict.of { try JSONBodyEncoder().encode(value) } == .text(#"{"z":1,"a":2,"é":1,"b":1}"#))
        let ascii = Act {
            var members = $0.members()
            for name in ["z", "a", "b", "a"] { try members.encode(1, forKey: AnyKey(stringValue: name)) }
        }
        #expect(EncodeVerdict.of { try JSONBodyEncoder().encode(ascii) } == .text(#"{"z":1,"b":1,"a":1}"#))
    }

    @Test("a failed encode leaves nothing behind")
    func recovery() {
        let value = Act {
            var members = $0.members()
            let failing = Act {
                var members = $0.members()
                try members.encode(1, forKey: "stale")
                try members.encode(Double.nan, forKey: "x")
            }
            try? members.encode(failing, forKey: "a")
            try? members.encode([failing], forKey: "b")
            try members.encode(Self.flat.tags, forKey: "c")
            try members.encode(["fresh": 1], forKey: "d")
        }
        // JSONEncoder adds "stale" to the next value.
        #expect(EncodeVerdict.of { try Encoders().ours.encode(value) } == .text(#"{"c":["x"],"d":{"fresh":1}}"#))
    }

    private static let misuses: [Case] = [
        Case("two values") {
            try $0.single(1)
            try $0.single(2)
        },
        Case("a value and an object") {
            try $0.single(1)
            var members = $0.members()
            try members.encode(1, forKey: "a")
        },
        Case("an object and an array") {
            var members = $0.members()
            try members.encode(1, forKey: "a")
            var items = $0.unkeyedContainer()
            try items.encode(1)
        },
        Case("a value and a nested container for the same key") {
            var members = $0.members()
            try members.encode(1, forKey: "a")
            var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: "a")
            try nested.encode(1, forKey: "b")
        },
        Case("two kinds of nested containers for the same key") {
            var members = $0.members()
            var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: "a")
            try nested.encode(1, forKey: "b")
            var items = members.nestedUnkeyedContainer(forKey: "a")
            try items.encode(1)
        },
    ]

    @Test("two values under one key or index are an error", arguments: misuses)
    private func misuse(_ subject: Case) {
        #expect(throws: EncodingError.self) { try JSONBodyEncoder().encode(Act(subject.act)) }
        #expect(throws: EncodingError.self) { try Encoders().ours.encode(["a": [Act(subject.act)]]) }
    }
}
