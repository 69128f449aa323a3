import CoreAPIJSON
import TestSupport

/// Objects with the same keys share a member index, if keys are converted or not all ASCII.
@Suite("Objects with the same keys, and nearly the same")
struct SameKeysTests {
    private struct Row: Decodable, Equatable {
        var userId: Int
        var fullName: String?
        var größe: Int?
        var inner: Inner?
        var tagList: [Int]?
        struct Inner: Decodable, Equatable { var userId: Int? }
    }

    /// Asks for its members from the last to the first, and for each twice.
    private struct Backwards: Decodable, Equatable {
        var found: [String]

        private enum CodingKeys: String, CodingKey { case tagList, inner, größe, fullName, userId }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            found = members.allKeys.map(\.stringValue).sorted()
            for key in [CodingKeys.tagList, .inner, .größe, .fullName, .userId] {
                for _ in 0..<2 { found.append("\(key.stringValue) \(members.contains(key)) \(try members.text(key))") }
            }
        }
    }

    private static let members = [
        #""user_id":1"#, #""userId":2"#, #""full_name":"a""#, #""größe":3"#, #""gr\u00f6\u00dfe":4"#,
        #""inner":{"user_id":5,"größe":1}"#, #""inner":{}"#, #""tag_list":[1,[],{}]"#, #""tag_list":[1]"#, #""other":null"#,
        #""Userid":1"#,
    ]

    @Test("every object is decoded by its own keys", arguments: 0..<20)
    func objects(part: Int) {
        var generator = DocumentGenerator(seed: UInt64(part))
        for _ in 0..<3 {
            // Few kinds of objects, so that most recur, but more than are kept.
            let kinds = (0..<(1 + generator.below(12))).map { _ in
                (0..<generator.below(7)).map { _ in generator.pick(Self.members) }
            }
            let rows = (0..<16).map { _ in "{" + generator.pick(kinds).joined(separator: ",") + "}" }
            let document = "[" + rows.joined(separator: ",") + "]"
            for decoders in [Decoders(), Decoders(JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase)] {
                let values = decoders.both([Row?].self, document)
                #expect(values.ours == values.foundation)
                let backwards = decoders.both([Backwards].self, document)
                #expect(backwards.ours == backwards.foundation)
                for row in rows { decoders.same(Row.self, row) }
            }
        }
    }

    private static let plainMembers = [
        #""a":1"#, #""a": "x""#, #""ab":2"#, #""abcdefg":3"#, #""abcdefgh":4"#, #""abcdefghi" :5"#, #""abcdefgh\u0069":6"#,
        #""é":7"#,
        #""":8"#, #""b":{"a":1,"ab":2}"#, #""b":{"a":1}"#, #""b":{"ab":2,"a":1,"a":3}"#, #""b":{}"#, #""b":[]"#,
        #""b":[{"a":1},{"a":2},"a",{"a":3,"a":4}]"#, #""b":[[{"a":1,"b":2}],{"a":1}]"#, #""b":"a""#,
    ]

    @Test(
        "keys are found in objects that repeat those of the object before: all of them, the first ones, or twice",
        arguments: 0..<20)
    func patterns(part: Int) {
        var generator = DocumentGenerator(seed: UInt64(1_000 + part))
        let decoders = Decoders()
        for _ in 0..<20 {
            let first = (0..<(1 + generator.below(5))).map { _ in generator.pick(Self.plainMembers) }
            let rows = (0..<8).map { _ in
                var members = first
                switch generator.below(6) {
                case 0: members.append(generator.pick(Self.plainMembers))
                case 1: members[generator.below(members.count)] = generator.pick(Self.plainMembers)
                case 2: members.removeLast()
                case 3: members.swapAt(0, members.count - 1)
                default: break
                }
                return "{" + members.joined(separator: generator.below(4) == 0 ? " ,\n " : ",") + "}"
            }
            let document = "[" + rows.joined(separator: ",") + "]"
            #expect(!decoders.same([AnyValue].self, document).isFailure)
        }
    }

    @Test("keys are found in documents whose tape grows, also beyond the 32nd", arguments: [3, 31, 32, 33])
    func growing(count: Int) {
        let keys = (0..<count).map { "\"key\($0)\":\($0)" }.joined(separator: ",")
        let rows = (0..<600).map { row in
            switch row % 5 {
            case 0..<3: "{\(keys)}"
            case 3: "{\(keys),\"key0\":\"again\",\"more\":{\(keys)}}"
            default: "{\"key0\":{\(keys),\"more\":1,\"more\":2},\(keys)}"
            }
        }
        #expect(!Decoders().same([AnyValue].self, "[" + rows.joined(separator: ",") + "]").isFailure)
    }

    @Test("a document that is cut anywhere is rejected, if the last object repeats the one before")
    func cut() {
        let document = Array(#"[{"a":1,"abcdefghij":{"b":"x"}},{"a":2,"abcdefghij":{"b":"y"}}]"#.utf8)
        for count in 0..<document.count {
            #expect(Decoders().same([AnyValue].self, String(decoding: document[..<count], as: UTF8.self)).isFailure)
        }
    }

    @Test("objects with more than 32 keys")
    func large() throws {
        struct Wide: Decodable, Equatable {
            var userId: Int
            var lastKey: Int
            var key40: Int?
        }
        for count in [30, 31, 60] {
            let keys = (0..<count).map { "\"key_\($0)\":\($0)" }.joined(separator: ",")
            let document = "[" + (0..<3).map { "{\"last_key\":\($0),\(keys),\"user_id\":7}" }.joined(separator: ",") + "]"
            let ours = Decoders(JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase).same([Wide].self, document)
            #expect(!ours.isFailure)
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func text(_ key: Key) throws -> String {
        if let number = try? decode(Int.self, forKey: key) { return "\(number)" }
        if let list = try? decode([AnyValue].self, forKey: key) { return "\(list.count) items" }
        return (try? decodeIfPresent(String.self, forKey: key)) ?? "none"
    }
}
