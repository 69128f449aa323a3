import CoreAPITesting
import Foundation
import HTTPTypes
import Testing

@testable import CoreAPI

@Suite("The JSON beside a decoding error")
struct BodyExcerptTests {
    private struct Page: Decodable, Sendable { var orderItems: [Item] }
    private struct Item: Decodable, Sendable { var userId: Int }

    private func failure<Value: Decodable & Sendable>(
        _ type: Value.Type, of body: Data, coder: BodyCoder = .json, enhancers: [any RequestEnhancer] = []
    ) async throws -> DecodingFailure {
        let transport = RecordingTransport { request in
            Response(request: request, head: ResponseHead(status: .ok), data: body, result: .success(body))
        }
        var channel = Channel.test("https://h.example", transport: transport)
        channel.coder = coder
        channel.enhancers = enhancers
        guard case .decoding(let failure, _)? = await channel.manager().response(for: TestEndpoint(), as: type).error else {
            throw Trouble(code: 1)
        }
        return failure
    }

    private func failure<Value: Decodable & Sendable>(
        _ type: Value.Type, of body: String, coder: BodyCoder = .json
    ) async throws -> DecodingFailure {
        try await failure(type, of: Data(body.utf8), coder: coder)
    }

    private let filler = #""filler":"\#(String(repeating: "é", count: 30_000))""#

    @Test(
        "is what lies around the byte that is wrong, wherever that is",
        arguments: [BodyCoder.json, .json(keys: .convertFromSnakeCase)])
    func malformed(coder: BodyCoder) async throws {
        let failure = try await failure(
            Page.self, of: #"{\#(filler),"token":"hunter2","orderItems":[{"userId":1},,{"userId":2}],\#(filler)}"#, coder: coder)
        #expect(failure.isMalformed)
        #expect(failure.excerpt.contains(#""orderItems":[{"userId":1},,{"userId":2}]"#), "\(failure.excerpt)")
        #expect(failure.excerpt.hasPrefix("…é") && failure.excerpt.hasSuffix("é…"), "\(failure.excerpt)")
        #expect(failure.excerpt.utf8.count < 250)
        #expect(!failure.excerpt.contains("hunter2") && failure.excerpt.contains(#""token":"<redacted>""#))
    }

    @Test("is what lies around a number that no type of Swift can hold")
    func numbers() async throws {
        let failure = try await failure(Page.self, of: #"{\#(filler),"orderItems":[{"userId":1},{"userId":2.5}]}"#)
        #expect(!failure.isMalformed)
        #expect(failure.excerpt.hasSuffix(#""orderItems":[{"userId":1},{"userId":2.5}]}"#), "\(failure.excerpt)")
    }

    @Test("is found under the name that the document has for it")
    func convertedKeys() async throws {
        let failure = try await failure(
            Page.self,
            of: #"{"a_filler":"\#(String(repeating: "x", count: 500))","order_items":[{"user_id":1},{"user_id":"zwei"}]}"#,
            coder: .json(keys: .convertFromSnakeCase))
        #expect(failure.codingPath == "orderItems[1].userId")
        #expect(failure.excerpt == #""user_id":"zwei" in {"user_id":"zwei"}"#)
    }

    @Test("is of the body that was decoded, which an enhancer may have made")
    func changedBody() async throws {
        struct Unwrapping: RequestEnhancer {
            static let priority = Priority.normal
            func enhance(_ request: inout Request) {}
            func deenhance(_ response: inout Response<Data>) {
                response.result = .success(Data(#"{"orderItems":[{"userId":"zwei"}]}"#.utf8))
            }
        }
        let failure = try await failure(Page.self, of: Data("sealed".utf8), enhancers: [Unwrapping()])
        #expect(failure.excerpt.hasPrefix(#""userId":"zwei""#), "\(failure.excerpt)")
    }

    @Test("of a document in UTF-16 is read as that, and hides what is to be hidden")
    func encodings() async throws {
        let text = #"{"password":"hunter2","orderItems":[}"#
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32BigEndian] {
            let failure = try await failure(Page.self, of: try #require(text.data(using: encoding)))
            #expect(failure.excerpt == #"{"password":"<redacted>","orderItems":[}"#)
        }
    }

    @Test(
        "shows nothing of a secret, wherever the document breaks",
        arguments: [";", "\"", "\\", "{", "}", "\n", "\u{1B}", "\u{0}"])
    func secrets(junk: String) async throws {
        let body = #"{"a":[1,{"password":"hunter2hunter2","b":"é"}],"session":{"id":"hunter2"},"pin":"hunter2","c":"d"}"#
        let names = [#""password":"#, #""session":"#, #""pin":"#].compactMap { body.firstRange(of: $0) }
        for place in body.indices where !names.contains(where: { $0.contains(place) }) {
            var broken = body
            broken.insert(contentsOf: junk, at: place)
            guard let failure = try? await failure(Page.self, of: broken) else { continue }
            #expect(!failure.excerpt.contains("nter2"), "\(broken): \(failure.excerpt)")
        }
    }

    @Test("behind more than can be searched for secrets is the beginning")
    func far() async throws {
        let failure = try await failure(Page.self, of: #"{"a":"\#(String(repeating: "x", count: 1_100_000))",}}"#)
        #expect(failure.excerpt.hasPrefix(#"{"a":"xxx"#) && failure.excerpt.utf8.count < 250)
    }
}
