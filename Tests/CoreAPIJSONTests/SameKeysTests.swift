import CoreAPIJSON
import Foundation
import Testing

/// Objects with the same keys share what was found out about them, where keys are converted or are not all ASCII.
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

    @Test("every object is read by its own keys", arguments: 0..<20)
    func objects(part: Int) {
        var generator = DocumentGenerator(seed: UInt64(part))
        for _ in 0..<3 {
            // Few kinds of object, so that most come again; more than are kept.
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
                for row in rows {
                    let (ours, foundation) = decoders.both(Row.self, row)
                    #expect(ours == foundation)
                }
            }
        }
    }

    @Test("objects with more keys than are walked along")
    func large() throws {
        struct Wide: Decodable, Equatable {
            var userId: Int
            var lastKey: Int
            var key40: Int?
        }
        for count in [30, 31, 60] {
            let keys = (0..<count).map { "\"key_\($0)\":\($0)" }.joined(separator: ",")
            let document = "[" + (0..<3).map { "{\"last_key\":\($0),\(keys),\"user_id\":7}" }.joined(separator: ",") + "]"
            let (ours, foundation) = Decoders(JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase).both([Wide].self, document)
            #expect(ours == foundation)
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
