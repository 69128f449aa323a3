import CoreAPIJSON
import Foundation
import Testing

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

    private struct TextKey: CodingKey, Equatable {
        let stringValue: String

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        var intValue: Int? { nil }
    }

    /// The path that it is decoded at.
    private struct Here: Decodable {
        let path: [any CodingKey]

        init(from decoder: any Decoder) throws { path = decoder.codingPath }
    }

    /// Asks with keys of no byte, of one and of more, one after the other, and in turns with items.
    private struct Asker: Decodable {
        var found: [Here] = []

        init(from decoder: any Decoder) throws {
            let only = try decoder.container(keyedBy: OnlyKey.self)
            let numbers = try decoder.container(keyedBy: NumberKey.self)
            let bits = try decoder.container(keyedBy: BitKey.self)
            let texts = try decoder.container(keyedBy: TextKey.self)
            for _ in 0..<2 {
                found.append(try texts.decode(Here.self, forKey: TextKey(stringValue: "first")))
                found.append(try only.decode(Here.self, forKey: .only))
                found += try texts.decode([Here].self, forKey: TextKey(stringValue: "list"))
                found.append(try numbers.decode(Here.self, forKey: .second))
                found += try texts.decode([String: Here].self, forKey: TextKey(stringValue: "nested")).values
                found.append(try bits.decode(Here.self, forKey: BitKey(isFirst: false)))
                found.append(try bits.decode(Here.self, forKey: BitKey(isFirst: true)))
                var items = try texts.nestedUnkeyedContainer(forKey: TextKey(stringValue: "list"))
                while !items.isAtEnd { found.append(try items.decode(Here.self)) }
                found.append(try numbers.decode(Here.self, forKey: .first))
            }
        }
    }

    @Test("hold the keys that were asked for, of whatever size, and those of nobody else")
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
            #expect(key as? OnlyKey == otherKey as? OnlyKey)
            #expect(key as? NumberKey == otherKey as? NumberKey)
            #expect(key as? BitKey == otherKey as? BitKey)
            #expect(key as? TextKey == otherKey as? TextKey)
        }
        #expect(
            paths.compactMap { $0.last as? BitKey } == [BitKey(isFirst: false), BitKey(isFirst: true)] + [
                BitKey(isFirst: false), BitKey(isFirst: true),
            ])
    }

    @Test("tell keys of dictionaries that are numbers as Foundation does", arguments: [true, false])
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
                guard case .typeMismatch(_, let context)? = error else { return [] }
                return context.codingPath.map(\.intValue)
            }
            #expect(!paths[0].isEmpty && paths[0] == paths[1])
        }
    }
}
