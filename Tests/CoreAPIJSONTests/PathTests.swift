import CoreAPIJSON
import TestSupport

@Suite("Coding paths")
struct PathTests {
    private enum OnlyKey: String, CodingKey { case only }

    private enum NumberKey: Int, CodingKey {
        case first = 7
        case second = 9
    }

    private struct BitKey: CodingKey, Equatable {
        let isFirst: Bool
        init(isFirst: Bool) { self.isFirst = isFirst }
        init?(stringValue: String) { isFirst = stringValue == "first" }
        init?(intValue: Int) { nil }
        var stringValue: String { isFirst ? "first" : "second" }
        var intValue: Int? { nil }
    }

    /// Decodes the path of its own decoder.
    private struct Here: Decodable {
        let path: [any CodingKey]
        init(from decoder: any Decoder) throws { path = decoder.codingPath }
    }

    /// Asks with keys of no byte, of one byte and of more, in turns with items.
    private struct Asker: Decodable {
        var found: [Here] = []

        init(from decoder: any Decoder) throws {
            let only = try decoder.container(keyedBy: OnlyKey.self)
            let numbers = try decoder.container(keyedBy: NumberKey.self)
            let bits = try decoder.container(keyedBy: BitKey.self)
            let texts = try decoder.container(keyedBy: AnyKey.self)
            for _ in 0..<2 {
                found.append(try texts.decode(Here.self, forKey: "first"))
                found.append(try only.decode(Here.self, forKey: .only))
                found += try texts.decode([Here].self, forKey: "list")
                found.append(try numbers.decode(Here.self, forKey: .second))
                found += try texts.decode([String: Here].self, forKey: "nested").values
                found.append(try bits.decode(Here.self, forKey: BitKey(isFirst: false)))
                found.append(try bits.decode(Here.self, forKey: BitKey(isFirst: true)))
                var items = try texts.nestedUnkeyedContainer(forKey: "list")
                while !items.isAtEnd { found.append(try items.decode(Here.self)) }
                found.append(try numbers.decode(Here.self, forKey: .first))
            }
        }
    }

    @Test("contain the requested keys of any size, and no others")
    func keysOfAnySize() throws {
        let document = Data(#"{"only":{},"first":{},"second":{},"list":[{},{}],"nested":{"a":{}},"7":{},"9":{}}"#.utf8)
        let found = try JSONBodyDecoder().decode([String: Asker].self, from: Data(#"{"root":"#.utf8) + document + Data("}".utf8))
        let expected = try JSONDecoder().decode([String: Asker].self, from: Data(#"{"root":"#.utf8) + document + Data("}".utf8))
        let (paths, others) = (found["root"]?.found.map(\.path) ?? [], expected["root"]?.found.map(\.path) ?? [])
        #expect(paths.count == 22)
        #expect(
            paths.map { $0.map { "\($0.stringValue) \($0.intValue ?? -1)" } }
                == others.map { $0.map { "\($0.stringValue) \($0.intValue ?? -1)" } })
        for (path, other) in zip(paths, others) {
            let (key, otherKey) = (path.last, other.last)
            #expect(key as? OnlyKey == otherKey as? OnlyKey && key as? NumberKey == otherKey as? NumberKey)
            #expect(key as? BitKey == otherKey as? BitKey && key as? AnyKey == otherKey as? AnyKey)
        }
        #expect(
            paths.compactMap { $0.last as? BitKey } == [BitKey(isFirst: false), BitKey(isFirst: true)] + [
                BitKey(isFirst: false), BitKey(isFirst: true),
            ])
    }

    @Test("have numeric keys of dictionaries as Foundation has them", arguments: [true, false])
    func numbersInDictionaries(hasDefaultKeys: Bool) throws {
        var decoder = JSONBodyDecoder()
        let foundation = JSONDecoder()
        if !hasDefaultKeys {
            (decoder.keyDecodingStrategy, foundation.keyDecodingStrategy) = (.convertFromSnakeCase, .convertFromSnakeCase)
        }
        let document = Data(#"{"7":{"8":{}}}"#.utf8)
        let ours = try #require(try decoder.decode([String: [String: Here]].self, from: document)["7"]?["8"])
        let theirs = try #require(try foundation.decode([String: [String: Here]].self, from: document)["7"]?["8"])
        #expect(ours.path.map(\.stringValue) == ["7", "8"])
        #expect(ours.path.map(\.intValue) == theirs.path.map(\.intValue))
        #expect(ours.path.map(\.intValue) == (hasDefaultKeys ? [7, 8] : [nil, nil]))
        for wrong in [#"{"7":{"8":"x"}}"#, #"{"7":"x"}"#] {
            let errors = [
                #expect(throws: DecodingError.self) { try decoder.decode([String: [String: Int]].self, from: Data(wrong.utf8)) },
                #expect(throws: DecodingError.self) {
                    try foundation.decode([String: [String: Int]].self, from: Data(wrong.utf8))
                },
            ]
            let paths = errors.map { error -> [Int?] in
                if case .typeMismatch(_, let context)? = error { context.codingPath.map(\.intValue) } else { [] }
            }
            #expect(!paths[0].isEmpty && paths[0] == paths[1])
        }
    }

    private struct Numbers: Decodable {
        struct Inner: Decodable {
            var list: [Int8]?
            var price: Double?
        }
        var userAge: Int8?
        var count: UInt?
        var whole: Int?
        var ratio: Float?
        var inner: Inner?
        var many: [Inner]?
        var byName: [String: [UInt16]]?
        var money: Decimal?
        var at: Date?
    }

    @Test(
        "the error for a number that does not fit its type has the path of the value",
        arguments: [
            (#"{"userAge":300}"#, "userAge"), (#"{"userAge":-129}"#, "userAge"), (#"{"userAge":1.5}"#, "userAge"),
            (#"{"count":-1}"#, "count"), (#"{"whole":1.5}"#, "whole"), (#"{"whole":1e30}"#, "whole"),
            (#"{"whole":9223372036854775808}"#, "whole"), (#"{"ratio":1e39}"#, "ratio"),
            (#"{"inner":{"price":1e400}}"#, "inner.price"),
            (#"{"inner":{"price":-1e400}}"#, "inner.price"), (#"{"inner":{"price":1e-400}}"#, "inner.price"),
            (#"{"inner":{"list":[1,{"a":300},300]}}"#, nil), (#"{"inner":{"list":[1,2,300]}}"#, "inner.list.2"),
            (#"{"many":[{},{"list":[]},{"price":2,"list":[300]}]}"#, "many.2.list.0"),
            (#"{"byName":{"a":[1],"b c":[2,65536]}}"#, "byName.b c.1"),
            (#"{"x":300,"y":[300,{"z":300}],"userAge":300}"#, "userAge"), (#" { "userAge" : 300 } "#, "userAge"),
            (#"{"at":1e999}"#, "at"),
        ] as [(String, String?)])
    func numbers(document: String, path: String?) throws {
        let error = #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode(Numbers.self, from: Data(document.utf8)) }
        guard let path else { return }
        let context = try #require(error?.context)
        #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".") == path)
        #expect(context.debugDescription.hasPrefix("expected a number that "))
    }

    @Test("the path of a number that does not fit has the keys as the type sees them")
    func convertedNumbers() throws {
        var decoder = JSONBodyDecoder()
        for strategy in [
            JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase,
            .custom { $0.last?.stringValue == "user_age" ? AnyKey(stringValue: "userAge") : $0[$0.count - 1] },
        ] {
            decoder.keyDecodingStrategy = strategy
            for document in [#"[{"user_age":300}]"#, "\u{FEFF}" + #"[{"caf\u00e9":1,"user_age":300}]"#] {
                for encoding in [String.Encoding.utf8, .utf16LittleEndian] {
                    let data = try #require(document.data(using: encoding))
                    let error = #expect(throws: DecodingError.self) { try decoder.decode([Numbers].self, from: data) }
                    #expect(error?.context?.codingPath.map(\.stringValue) == ["Index 0", "userAge"])
                }
            }
        }
    }

    @Test(
        "the errors for a single number that does not fit and for invalid JSON have an empty path",
        arguments: ["300", " -129", "[300", "{", "[01]"])
    func noPath(document: String) throws {
        let error = #expect(throws: DecodingError.self) {
            if document.contains("[") {
                _ = try JSONBodyDecoder().decode([Int8].self, from: Data(document.utf8))
            } else {
                _ = try JSONBodyDecoder().decode(Int8.self, from: Data(document.utf8))
            }
        }
        #expect(error?.context?.codingPath.isEmpty == true)
    }

    @Test("a type that tries several types for each of many numbers takes linear time")
    func tried() throws {
        struct Either: Decodable {
            let value: Int

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                value = try (try? Int(container.decode(Int8.self))) ?? container.decode(Int.self)
            }
        }
        let start = ContinuousClock.now
        let document = "[" + Array(repeating: "300", count: 100_000).joined(separator: ",") + "]"
        #expect(try JSONBodyDecoder().decode([Either].self, from: Data(document.utf8)).count == 100_000)
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}

extension DecodingError {
    fileprivate var context: Context? { if case .dataCorrupted(let context) = self { context } else { nil } }
}
