import CoreAPIJSON
import TestSupport

@testable import CoreAPICore

@Suite("The JSON beside a decoding error")
struct BodyExcerptTests {
    private let context = APIClientError.Context(Call(channel: .test(), endpoint: "x"))
    private struct Page: Decodable, Sendable { var orderItems: [Item] }
    private struct Item: Decodable, Sendable { var userId: Int }

    private func failure<Value: Decodable & Sendable>(
        _ type: Value.Type, of body: Data, type mediaType: String? = nil, coder: BodyCoder = .json,
        enhancers: [any RequestEnhancer] = []
    ) async throws -> DecodingFailure {
        let transport = RecordingTransport { request in
            var head = ResponseHead(status: .ok)
            head.headers[.contentType] = mediaType
            return Response(request: request, head: head, data: body, result: .success(body))
        }
        var channel = Channel.test(transport)
        channel.coder = coder
        channel.enhancers = enhancers
        return try #require(await channel.manager.response(for: TestEndpoint(), as: type).error?.decoding)
    }

    private func failure<Value: Decodable & Sendable>(
        _ type: Value.Type, of body: String, coder: BodyCoder = .json
    ) async throws -> DecodingFailure { try await failure(type, of: Data(body.utf8), coder: coder) }

    private let filler = #""filler":"\#(String(repeating: "é", count: 30_000))""#

    @Test(
        "of a body that is not JSON is the size and the media type, or a short text without a secret",
        arguments: [
            (#"{"token":"hunter2","orderItems":[{"userId":1},,{"userId":2}]}"#, false), ("[DONE]", true),
            ("upstream connect error", true), ("the token hunter2", false), (#"{"orderItems":[]}[DONE]"#, true),
            ("{'orderItems':[]}", true), ("{\"orderItems\":[", true), ("<html>down</html>", true),
            ("<html>" + String(repeating: "down ", count: 50), false), (#"{"\u0074oken":"hunter2""#, false),
            ("Bearer abcdefghijkl12", false), ("IBAN GB82WEST12345698765432", false),
        ])
    func malformed(body: String, isShown: Bool) async throws {
        for coder in [BodyCoder.json, .json(keys: .convertFromSnakeCase), .json(using: .foundation)] {
            for (type, suffix) in [("text/html; charset=utf-8", " of text/html"), (nil, "")] {
                let failure = try await failure(Page.self, of: Data(body.utf8), type: type, coder: coder)
                let shown = isShown ? body : "<\(body.utf8.count) bytes\(suffix)>"
                #expect(failure.isMalformed && failure.excerpt == shown, "\(failure)")
                #expect(failure.description.hasSuffix(", near \(failure.excerpt)"), "\(failure)")
            }
        }
    }

    @Test("is a number that no Swift type can represent; the error names it, too")
    func numbers() async throws {
        let failure = try await failure(Page.self, of: #"{\#(filler),"orderItems":[{"userId":1},{"userId":2.5}]}"#)
        #expect(!failure.isMalformed && failure.excerpt == #""userId":2.5 in {"userId":2.5}"#)
        #expect(failure.codingPath == "orderItems[1].userId" && failure.reason.contains("found 2.5"))
    }

    @Test("hides the secrets beside the error, those of a card and those in a text too")
    func beside() async throws {
        let failure = try await failure(
            Page.self,
            of: #"{"orderItems":[{"userId":"zwei","pin":7,"card":{"number":"4711"},"note":"see ?token=hunter2 or password: x"}]}"#
        )
        #expect(
            failure.excerpt == #""userId":"zwei" in {"userId":"zwei","pin":"<redacted>","card":{"number":"<redacted>"},"#
                + #""note":"see ?token=<redacted> or password: <redacted>"}"#)
        #expect("\(APIClientError.decoding(failure, context))".contains(", near \(failure.excerpt) ["))
    }

    @Test("is shortened")
    func shortened() async throws {
        let failure = try await failure(Page.self, of: #"{"orderItems":[{"userId":"zwei",\#(filler)}]}"#)
        #expect(failure.excerpt.contains("zwei") && failure.excerpt.count < 300)
        #expect("\(APIClientError.decoding(failure, context))".contains("orderItems[0].userId"))
    }

    @Test("is found under the document's name for it")
    func convertedKeys() async throws {
        let failure = try await failure(
            Page.self,
            of: #"{"a_filler":"\#(String(repeating: "x", count: 500))","order_items":[{"user_id":1},{"user_id":"zwei"}]}"#,
            coder: .json(keys: .convertFromSnakeCase))
        #expect(failure.codingPath == "orderItems[1].userId")
        #expect(failure.excerpt == #""user_id":"zwei" in {"user_id":"zwei"}"#)
    }

    @Test("is from the decoded body, which an enhancer may have made")
    func changedBody() async throws {
        let unwrapping = Deenhancing { $0.result = .success(Data(#"{"orderItems":[{"userId":"zwei"}]}"#.utf8)) }
        let failure = try await failure(Page.self, of: Data("sealed".utf8), enhancers: [unwrapping])
        #expect(failure.excerpt.hasPrefix(#""userId":"zwei""#), "\(failure.excerpt)")
    }

    @Test("of a document in UTF-16 or UTF-32 hides secrets, with every decoder")
    func encodings() async throws {
        let text = #"{"password":"hunter2","orderItems":[}"#
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32BigEndian] {
            let body = try #require(text.data(using: encoding))
            #expect(try await failure(Page.self, of: body).excerpt == "<\(body.count) bytes>")
            let whole = try #require(#"{"password":"hunter2","orderItems":7}"#.data(using: encoding))
            let excerpt = try await failure(Page.self, of: whole).excerpt
            #expect(excerpt == #""orderItems":7 in {"password":"<redacted>","orderItems":7}"#)
            for coder in [BodyCoder.json, .json(using: .foundation)] {
                for body in [body, body.dropLast(1), body + [0x00], body + Data(repeating: 0xD8, count: 70_000)] {
                    let excerpt = try await failure(Page.self, of: body, coder: coder).excerpt
                    #expect(!excerpt.contains("h") && !excerpt.contains("2"), "\(excerpt)")
                }
            }
        }
    }

    @Test("is not taken from the body if another text was wrong")
    func embedded() async throws {
        struct Outer: Decodable, Sendable {
            init(from decoder: any Decoder) throws {
                let text = try decoder.singleValueContainer().decode([String: String].self)["inner"] ?? ""
                _ = try JSONBodyDecoder().decode([Int].self, from: Data(text.utf8))
            }
        }
        let failure = try await failure(Outer.self, of: #"{"inner":"[1,2,]]"}"#)
        #expect(failure.reason.contains("at byte 6") && failure.excerpt == #"{"inner":"[1,2,]]"}"#, "\(failure)")
    }

    @Test(
        "shows no byte of a value under a secret's name, wherever the document breaks",
        arguments: [";", "\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "\u{1B}", "\u{0}", ""])
    func secrets(junk: String) async throws {
        // One member: a member that an early bracket moves out of its object is no longer below its name.
        let body =
            #"{"a":[1,{"password":"hunter2hunter2","b":"é"}],"session":{"id":["hunter2"]},"pin":"hun,ter2","#
            + #""pass\u0077ord":"hunter2","user[pin]":"hun[ter2","c":"d"}"#
        let names = [#""password":"#, #""session":"#, #""pin":"#, #""pass\u0077ord":"#, #""user[pin]":"#].compactMap {
            body.firstRange(of: $0)
        }
        for coder in [BodyCoder.json, .json(using: .foundation)] { await expectNoSecret(in: body, names, junk, coder) }
    }

    /// - Parameter names: what no junk damages.
    private func expectNoSecret(
        in body: String, _ names: [Range<String.Index>], _ junk: String, _ coder: BodyCoder = .json
    ) async {
        for place in body.indices where !names.contains(where: { $0.contains(place) }) {
            for end in [place, body.index(after: place)] {
                let broken = body.replacingCharacters(in: place..<end, with: junk)
                guard let failure = try? await failure(Page.self, of: broken, coder: coder) else { continue }
                #expect(!failure.excerpt.contains("ter2"), "\(broken): \(failure.excerpt)")
            }
        }
    }

    @Test(
        "of a short body shows no byte of its only secret, wherever the document breaks",
        arguments: [#"{"a":"é","password":"hunter2hunter2","b":[1,{}]}"#, #"{"pin":{"x":["hunter2"]},"b":1}"#])
    func onlySecret(body: String) async throws {
        let name = try #require(body.firstRange(of: #/"(password|pin)":/#))
        for junk in [";", "\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "=", "'", ""] {
            await expectNoSecret(in: body, [name], junk)
        }
    }

    @Test("of a body over 1 MiB is its size; the path and the number stay")
    func large() async throws {
        let item = #"{"id":1,"name":"abc","password":"hunter2"},"#
        let items = String(repeating: item, count: 50_000) + #"{"id":1.5}"#
        struct Item: Decodable, Sendable { var id: Int }
        struct List: Decodable, Sendable { var items: [Item] }
        for (body, isMalformed, path) in [
            ("[\(items)]", false, ""), (#"{"items":[\#(items)]}"#, false, "items[50000].id"), ("[\(items),]]", true, ""),
        ] {
            let failure = try await failure(List.self, of: body)
            #expect(failure.isMalformed == isMalformed && failure.codingPath == path)
            #expect(
                failure.description.contains("1.5") == !path.isEmpty && !failure.description.contains("hunter2"), "\(failure)")
            #expect(failure.excerpt == "<\(body.utf8.count) bytes>", "\(failure)")
        }
    }

    @Test("an unexpected null or end is reported with the expected type, by every decoder")
    func nothingFound() async throws {
        let null = try await failure(Page.self, of: #"{"orderItems":[null]}"#)
        #expect(null.reason == "expected an object, found null" && null.codingPath == "orderItems[0]")
        let pair = try await failure(Pair.self, of: "[1]")
        #expect(pair.reason == "expected Int, found the end of an array of 1" && pair.codingPath == "[1]")
        let foundations = try await failure([Int].self, of: "[null]", coder: .json(using: .foundation))
        #expect(foundations.reason.hasPrefix("expected Int; ") && foundations.reason.contains("null"), "\(foundations.reason)")
        #expect(try await failure([String: Int].self, of: #"{"token":null}"#).reason == "expected Int, found null or nothing")
    }

    private struct Pair: Decodable, Sendable {
        let sum: Int

        init(from decoder: any Decoder) throws {
            var items = try decoder.unkeyedContainer()
            sum = try items.decode(Int.self) + items.decode(Int.self)
        }
    }

    @Test("of a value under a secret's name has the expected type and the path, in the error's own text too")
    func secretsPlace() async throws {
        let error = try #require(
            await Channel.test(RecordingTransport(body: #"{"tokens":[{"price":"hunter2"}]}"#))
                .manager.response(for: TestEndpoint(), as: [String: [[String: Int]]].self).error)
        #expect("\(error)".contains("at 'tokens[0].price' – expected Int, found a value of another kind"), "\(error)")
        #expect(!"\(error)".contains("hunter2"))
    }
}
