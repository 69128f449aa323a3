import CoreAPIJSON
import TestSupport

@Suite("Containers that are kept, decodes within decodes, and many at once")
struct LifetimeTests {
    private struct Keeper: Decodable {
        let decoder: any Decoder
        let keyed: KeyedDecodingContainer<AnyKey>
        let parent: any Decoder
        let unkeyed: any UnkeyedDecodingContainer
        let single: any SingleValueDecodingContainer

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            keyed = try decoder.container(keyedBy: AnyKey.self)
            parent = try keyed.superDecoder(forKey: "inner")
            unkeyed = try keyed.nestedUnkeyedContainer(forKey: "list")
            single = try keyed.superDecoder(forKey: "text").singleValueContainer()
        }
    }

    private static let document = Data(
        (#"[{"inner":{"id":1,"name":"é","isActive":true},"list":[1,[2],"three"],"text":"a long string with \n in it"},"#
            + #"{"inner":{"id":2,"name":"","isActive":false},"list":[4,[5],"six"],"text":"\u00e9"}]"#).utf8)

    private func keepers() throws -> [Keeper] { try JSONBodyDecoder().decode([Keeper].self, from: Self.document) }

    @Test("containers work after the decode, each on its own value")
    func escape() throws {
        let kept = try keepers()
        // By now, freed memory would have been reused.
        for _ in 0..<100 { _ = try keepers() }
        for (index, keeper) in kept.enumerated() {
            #expect(try Flat(from: keeper.parent).id == index + 1)
            #expect(try keeper.keyed.decode(Flat.self, forKey: "inner").id == index + 1)
            #expect(keeper.keyed.allKeys.map(\.stringValue) == ["inner", "list", "text"])
            #expect(keeper.decoder.codingPath.map(\.stringValue) == ["Index \(index)"])
            #expect(keeper.parent.codingPath.map(\.stringValue) == ["Index \(index)", "inner"])
            #expect(keeper.unkeyed.codingPath.map(\.stringValue) == ["Index \(index)", "list"])
            var items = keeper.unkeyed
            #expect(try items.decode(Int.self) == 3 * index + 1)
            #expect(try items.decode([Int].self) == [3 * index + 2])
            #expect(try items.decode(String.self) == ["three", "six"][index])
            #expect(items.isAtEnd)
            #expect(try keeper.single.decode(String.self) == ["a long string with \n in it", "é"][index])
            #expect(try keeper.decoder.container(keyedBy: AnyKey.self).contains("text"))
            #expect(throws: DecodingError.self) { try keeper.keyed.decode(Int.self, forKey: "inner") }
        }
    }

    @Test("errors of a retained container have the path of its value")
    func pathsOfKept() throws {
        let keeper = try #require(try keepers().last)
        let verdict = Verdict.of { try keeper.keyed.decode(Int.self, forKey: "text") }
        #expect(verdict == .failure("typeMismatch Int at [Index 1#1, text]"))
    }

    /// Decodes another document while it is decoded.
    private struct Nested: Decodable, Equatable {
        let inner: [Flat]
        let after: String

        enum CodingKeys: CodingKey { case json, after }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let text = try container.decode(String.self, forKey: .json)
            inner = try JSONBodyDecoder().decode([Flat].self, from: Data(text.utf8))
            after = try container.decode(String.self, forKey: .after)
        }
    }

    @Test("a type decodes another document within its own")
    func reentrancy() throws {
        let item = #"{\"id\":1,\"name\":\"a\",\"isActive\":true}"#
        let document = Data("[{\"json\":\"[\(item)]\",\"after\":\"x\"},{\"json\":\"[]\",\"after\":\"y\"}]".utf8)
        let decoded = try JSONBodyDecoder().decode([Nested].self, from: document)
        #expect(decoded.map(\.after) == ["x", "y"])
        #expect(decoded.first?.inner == [Flat(id: 1, name: "a", isActive: true)])
        let broken = Data("[{\"json\":\"[\",\"after\":\"x\"}]".utf8)
        #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode([Nested].self, from: broken) }
    }

    @Test("one decoder in many tasks")
    func concurrency() async throws {
        let decoder = JSONBodyDecoder()
        let document = Data(
            "[\((0..<50).map { "{\"id\":\($0),\"name\":\"n\($0)\",\"price\":0.1,\"isActive\":true}" }.joined(separator: ","))]"
                .utf8)
        let expected = try JSONDecoder().decode([Flat].self, from: document)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { try (0..<20).allSatisfy { _ in try decoder.decode([Flat].self, from: document) == expected } }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }

    @Test("new types in many tasks at once")
    func firstMeetings() async throws {
        struct First: Decodable, Equatable { let a: [Second] }
        struct Second: Decodable, Equatable { let b: [String: Third] }
        struct Third: Decodable, Equatable { let c: [[Fourth]]? }
        struct Fourth: Decodable, Equatable { let d: Int }
        let document = Data(#"{"a":[{"b":{"x":{"c":[[{"d":1},{"d":2}],[]]},"y":{}}},{"b":{}}]}"#.utf8)
        let expected = try JSONDecoder().decode(First.self, from: document)
        await withTaskGroup(of: First?.self) { group in
            for _ in 0..<32 { group.addTask { try? JSONBodyDecoder().decode(First.self, from: document) } }
            for await decoded in group { #expect(decoded == expected) }
        }
    }

    @Test("userInfo reaches every depth")
    func userInfo() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "unit"))
        struct Informed: Decodable {
            let units: [String]
            init(from decoder: any Decoder) throws {
                let key = CodingUserInfoKey(rawValue: "unit")
                var units = [key.flatMap { decoder.userInfo[$0] as? String } ?? "none"]
                var items = try decoder.unkeyedContainer()
                while !items.isAtEnd { units += try items.decode(Informed.self).units }
                self.units = units
            }
        }
        var decoder = JSONBodyDecoder()
        decoder.userInfo = [key: "metre"]
        #expect(try decoder.decode(Informed.self, from: Data("[[],[[]]]".utf8)).units == Array(repeating: "metre", count: 4))
        #expect(try JSONBodyDecoder().decode(Informed.self, from: Data("[]".utf8)).units == ["none"])
    }

    @Test("superDecoder of a missing key decodes null")
    func missingSuper() {
        let decoders = Decoders()
        for document in [
            "{}", "{\"name\":\"x\"}", "{\"super\":null}", "{\"super\":{\"id\":1}}", "{\"super\":5}", "{\"a\":null}",
            "{\"a\":{\"id\":\"\"}}",
        ] { decoders.same(Derived.self, document) }
    }

    @Test("an error in the middle of a decode leaves the rest intact")
    func recovery() {
        struct Attempts: Decodable, Equatable {
            let found: [String]
            let others: [AnyValue]
            init(from decoder: any Decoder) throws {
                var others: [AnyValue] = []
                var items = try decoder.unkeyedContainer()
                var found: [String] = []
                while !items.isAtEnd {
                    if let flat = try? items.decode(Flat.self) {
                        found.append("flat \(flat.id)")
                    } else if let numbers = try? items.decode([Int].self) {
                        found.append("numbers \(numbers)")
                    } else if let words = try? items.decode([String: Word].self) {
                        found.append("words \(words.keys.sorted())")
                    } else {
                        others.append(try items.decode(AnyValue.self))
                    }
                }
                self.found = found
                self.others = others
            }
        }
        let decoders = Decoders()
        let document =
            #"[{"id":1,"name":"a","isActive":true},[1,2],{"x":"red"},[1,"a"],{"id":1,"name":"a","isActive":5},"a",null,"\q"]"#
        decoders.same(Attempts.self, document)
        #expect(!decoders.same(Attempts.self, document.replacing(#","\q""#, with: "")).isFailure)
    }
}
