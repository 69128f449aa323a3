import CoreAPIJSON
import TestSupport

/// To compare or hash a string, the standard library sorts the combining marks of a letter in quadratic time. A key of 400 KB of
/// them would block a thread for half an hour.
@Suite("Keys of endless combining marks", .timeLimit(.minutes(2)))
struct EndlessKeyTests {
    private struct Fields: Decodable {
        let a0: Int?
        let a1: Int?
    }

    private struct AllKeys: Decodable {
        let count: Int

        init(from decoder: any Decoder) throws {
            count = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)).count
        }
    }

    private static let marks = String(repeating: "\u{301}\u{323}", count: 100_000)
    private static let escapes = String(repeating: #"\u0301\u0323"#, count: 100_000)

    private func rejected(_ type: (some Decodable).Type, _ document: String, _ decoder: JSONBodyDecoder) {
        let start = ContinuousClock.now
        let error = #expect(throws: DecodingError.self, "\(type)") { try decoder.decode(type, from: Data(document.utf8)) }
        #expect("\(error as Any)".contains("combining marks"), "\(type)")
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("are rejected at once, for every type", arguments: [marks, escapes].map(Abbreviated.init))
    func endless(_ repeated: Abbreviated) {
        let text = repeated.text
        var converting = JSONBodyDecoder()
        converting.keyDecodingStrategy = .convertFromSnakeCase
        for decoder in [JSONBodyDecoder(), converting] {
            for document in ["{\"a\(text)\":1}", "{\"b\":1,\"é\(text)\":1,\"a0\":1}"] {
                rejected(Fields.self, document, decoder)
                rejected([String: Int].self, document, decoder)
                rejected([String: [Int]].self, document, decoder)
                rejected(AllKeys.self, document, decoder)
            }
        }
    }

    @Test("are accepted in the number that real text needs")
    func few() throws {
        let key = "a" + String(repeating: "\u{301}\u{323}", count: 15)
        let document = Data("{\"\(key)\":1}".utf8)
        #expect(try JSONBodyDecoder().decode([String: Int].self, from: document) == [key: 1])
        #expect(try JSONDecoder().decode([String: Int].self, from: document) == [key: 1])
        let long = String(repeating: "a\u{301}", count: 50_000)
        #expect(try JSONBodyDecoder().decode([String: Int].self, from: Data("{\"\(long)\":1}".utf8))[long] == 1)
    }
}
