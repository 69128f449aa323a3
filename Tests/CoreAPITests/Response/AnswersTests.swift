import Dispatch
import TestSupport

@Suite("Dispatcher: a response")
struct AnswersTests {
    private let body = #"{"data":{"items":[{"id":1},{"id":2}],"2":"two","none":null},"şş":{"a":1.5},"ok":true}"#

    private var dispatcher: CommonDispatcher { CommonDispatcher(channel: .test(RecordingTransport(body: body))) }

    // `@unchecked`: it has no state; a class with subclasses cannot be plain `Sendable`.
    class Parent: Decodable, @unchecked Sendable {}

    // `@unchecked`: its state is constant.
    final class Child: Parent, @unchecked Sendable {
        private enum CodingKeys: String, CodingKey { case isOK = "ok" }

        let isOK: Bool

        required init(from decoder: any Decoder) throws {
            isOK = try decoder.container(keyedBy: CodingKeys.self).decode(Bool.self, forKey: .isOK)
            try super.init(from: decoder)
        }
    }

    @Test("is decoded as the class given at run time, after any other class", arguments: [BodyCoder.JSONCoding.kit, .foundation])
    func classes(coding: BodyCoder.JSONCoding) async throws {
        let given: Parent.Type = Child.self
        var channel = Channel.test(transport: RecordingTransport(body: #"{"ok":true,"in":{"ok":true}}"#))
        channel.coder = .json(using: coding)
        let dispatcher = CommonDispatcher(channel: channel)
        let child: Parent = try await dispatcher.request(TestEndpoint(), as: .decodable(given))
        let parent: Parent = try await dispatcher.request(TestEndpoint(), as: .decodable())
        let underPath: Parent = try await dispatcher.request(TestEndpoint(), as: .decodable(given, at: "in"))
        let own = try await dispatcher.request(TestEndpoint(), as: ResponseDecoding<Child>.decodable())
        #expect((child as? Child)?.isOK == true)
        #expect(type(of: parent) == Parent.self)
        #expect((underPath as? Child)?.isOK == true)
        #expect(own.isOK)
    }

    @Test("below a path uses the coder's strategies", arguments: [BodyCoder.JSONCoding.kit, .foundation])
    func datesUnderPaths(coding: BodyCoder.JSONCoding) async throws {
        let body = #"{"placed":{"at":"2024-02-29T12:00:00Z"},"site":"https://h.example/a"}"#
        let channel = Channel.test(transport: RecordingTransport(body: body)) { $0.coder = .json(using: coding) }
        let dispatcher = CommonDispatcher(channel: channel)
        let date = try await dispatcher.request(TestEndpoint(), as: .decodable(Date.self, at: "placed.at"))
        #expect(date == Date(timeIntervalSince1970: 1_709_208_000))
        let url = try await dispatcher.request(TestEndpoint(), as: .decodable(URL?.self, at: "site"))
        #expect(url == URL(string: "https://h.example/a"))
    }

    @Test("is available as bytes, text, JSON, a value, no value, or the value below a key path")
    func forms() async throws {
        #expect(try await dispatcher.request(TestEndpoint(), as: .data) == Data(body.utf8))
        #expect(try await dispatcher.request(TestEndpoint(), as: .text) == body)
        try await dispatcher.request(TestEndpoint(), as: .nothing)
        let json = try await dispatcher.request(TestEndpoint(), as: .json)
        #expect(json["data"]?["items"]?[1]?["id"]?.int == 2 && json["data"]?["none"]?.isNull == true)
        #expect(json["şş"]?["a"]?.double == 1.5 && json["ok"]?.bool == true)
        #expect(json["data"]?["items"]?[7] == nil && json["ok"]?["no"] == nil)
        #expect(
            try await dispatcher.request(TestEndpoint(), as: .decodable([Item].self, at: "data.items")) == [
                Item(id: 1), Item(id: 2),
            ])
        #expect(try await dispatcher.request(TestEndpoint(), as: .decodable(Int.self, at: "data.items.1.id")) == 2)
        #expect(try await dispatcher.request(TestEndpoint(), as: .decodable(String.self, at: "data.2")) == "two")
        #expect(try await dispatcher.request(TestEndpoint(), as: .decodable(Int?.self, at: "data.none")) == nil)
        #expect(try await dispatcher.request(TestEndpoint(), as: .decodable([String: Double].self, at: "şş")) == ["a": 1.5])
    }

    @Test("is a value: changing a copy, or one with another result, does not change the response")
    func copies() async throws {
        let response = await dispatcher.response(for: TestEndpoint(), as: .data)
        var copy = response
        copy.data.append(0)
        copy.head?.headers[.server] = "other"
        copy.request?.headers[.accept] = "other"
        copy.metrics = nil
        var other = response.with(.success(1))
        other.data = Data()
        other.head = nil
        #expect(response.data == Data(body.utf8) && response.attempts.count == 1)
        #expect(response.head != nil && response.head?.headers[.server] != "other")
        #expect(response.request != nil && response.request?.headers[.accept] != "other")
        #expect(copy.data.count == body.utf8.count + 1 && other.data.isEmpty && (try? other.result.get()) == 1)
    }

    @Test(
        "below a missing path is a decoding error that names it",
        arguments: [
            ("data.things", "things"), ("data.items.9", "9"), ("nothing.at.all", "nothing"), ("ok.deeper", "ok"),
            ("data.items.-1", "-1"),
        ])
    func missing(path: String, name: String) async throws {
        let response = await dispatcher.response(for: TestEndpoint(), as: .decodable(Int.self, at: path))
        let failure = try #require(response.error?.decoding)
        #expect(failure.localizedDescription.contains(name), "\(failure.localizedDescription)")
    }

    private static let snakeBody = #"{"user_data":{"full_name":"Ada","list_of":[{"item_id":7}],"é_x":{"last_key":1}},"plain":2}"#

    /// A custom decoder, unknown to the kit.
    private static let ownSnake = BodyCoder(
        contentType: "application/json", encode: { try JSONEncoder().encode($0) },
        decode: { type, data in
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(type, from: data)
        })

    @Test(
        "below a path is found by the body's spelling and by the strategy's spelling",
        arguments: [
            BodyCoder.json(keys: .convertFromSnakeCase), .json(using: .foundation, keys: .convertFromSnakeCase), ownSnake,
        ])
    func convertedPath(coder: BodyCoder) async throws {
        let channel = Channel.test(RecordingTransport(body: Self.snakeBody)) { $0.coder = coder }
        let dispatcher = CommonDispatcher(channel: channel)
        for path in ["user_data.full_name", "userData.fullName", "user_data.fullName", "userData.full_name"] {
            #expect(try await dispatcher.request(TestEndpoint(), as: .decodable(String.self, at: path)) == "Ada", "\(path)")
        }
        for path in ["user_data.list_of.0.item_id", "userData.listOf.0.itemId", "plain"] {
            #expect(try await dispatcher.request(TestEndpoint(), as: .decodable(Int.self, at: path)) > 0, "\(path)")
        }
        #expect(try await dispatcher.request(TestEndpoint(), as: .decodable(Int.self, at: "user_data.é_x.last_key")) == 1)
        let error = await dispatcher.response(for: TestEndpoint(), as: .decodable(Int.self, at: "user_data.first_name")).error
        #expect(error?.description.contains("'first_name' is missing; there are 'fullName', 'listOf'") == true, "\(error as Any)")
    }

    @Test("below a path is found through a custom strategy", arguments: [BodyCoder.JSONCoding.kit, .foundation])
    func ownStrategy(coding: BodyCoder.JSONCoding) async throws {
        struct Key: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        var channel = Channel.test(RecordingTransport(body: #"{"USER-DATA":{"NAME":"Ada"}}"#))
        channel.coder = .json(
            using: coding,
            keys: .custom { path in
                // Depends on the path: nested keys lose only their hyphens.
                let name = path[path.count - 1].stringValue
                return Key(stringValue: path.count == 1 ? name.lowercased() : name.capitalized)
            })
        let dispatcher = CommonDispatcher(channel: channel)
        for path in ["USER-DATA.NAME", "user-data.Name", "USER-DATA.Name", "user-data.NAME"] {
            #expect(try await dispatcher.request(TestEndpoint(), as: .decodable(String.self, at: path)) == "Ada", "\(path)")
        }
    }

    @Test(
        "below a missing path names at most ten existing keys",
        arguments: [
            (#"{}"#, "there are no keys"), (#"{"b":1,"a":2}"#, "there are 'a', 'b'"),
            (
                #"{"k01":0,"k02":0,"k03":0,"k04":0,"k05":0,"k06":0,"k07":0,"k08":0,"k09":0,"k10":0,"k11":0,"k12":0}"#,
                "'k10' and 2 more"
            ),
            (#"{"password":"s3cret","token":"s3cret"}"#, "there are 'password', 'token'"),
        ])
    func presentKeys(body: String, text: String) async {
        let dispatcher = CommonDispatcher(channel: .test(RecordingTransport(body: body)))
        let error = await dispatcher.response(for: TestEndpoint(), as: .decodable(Int.self, at: "missing")).error
        #expect(error?.description.contains(text) == true, "\(error as Any)")
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test(
        "with a number that its type cannot represent has the number's path",
        arguments: [(#"{"age":300}"#, "age"), (#"{"ages":[1,-129]}"#, "ages[1]"), (#"{"password":"s3cret","age":1.5}"#, "age")])
    func numberPath(body: String, path: String) async throws {
        struct Person: Decodable, Sendable {
            var age: Int8?
            var ages: [Int8]?
        }
        let dispatcher = CommonDispatcher(channel: .test(RecordingTransport(body: body)))
        let error = await dispatcher.response(for: TestEndpoint(), as: .decodable(Person.self)).error
        let failure = try #require(error?.decoding)
        #expect(failure.codingPath == path && !failure.isMalformed)
        #expect(failure.reason.contains("expected a number that Int8 can hold"))
        #expect(!failure.localizedDescription.contains("s3cret"))
    }

    @Test("JSON is written unchanged")
    func roundTrip() throws {
        let value: JSONValue = ["a": [1, nil, true, "ş"], "b": ["c": 2]]
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
        #expect(value["a"]?.array?.count == 4 && value.object?.count == 2)
    }

    @Test("below a key path of an empty answer is nil or an error, depending on the status")
    func emptyKeyPath() async {
        let dispatcher = CommonDispatcher(channel: .test(RecordingTransport(status: 204, body: "")))
        #expect(await dispatcher.response(for: TestEndpoint(), as: .decodable([Int]?.self, at: "data.items")).error == nil)
        let needed = await dispatcher.response(for: TestEndpoint(), as: .decodable([Int].self, at: "data.items")).error
        #expect(needed?.label == "verification.emptyBody")
    }

    @Test("a key path with an empty part is a missing key", arguments: [".", "a..b", "a.", "+0", "a.+0"])
    func oddKeyPath(path: String) async {
        let dispatcher = CommonDispatcher(channel: .test(RecordingTransport(body: #"{"a":[1],"b":2}"#)))
        #expect(
            await dispatcher.response(for: TestEndpoint(), as: .decodable(JSONValue.self, at: path)).error?.label == "decoding")
    }

    @Test("an empty key path is the whole body, whatever the channel's payload is")
    func wholeBody() async throws {
        let channel = Channel.test(RecordingTransport(body: #"{"data":{"id":1},"id":2}"#)) { $0.payload = "data" }
        #expect(try await channel.dispatcher.request(TestEndpoint(), as: .decodable(Item.self)) == Item(id: 1))
        #expect(try await channel.dispatcher.request(TestEndpoint(), as: .decodable(Item.self, at: "")) == Item(id: 2))
        #expect(try await channel.dispatcher.request(TestEndpoint(), as: .decodable(Data.self, at: "")).count == 24)
    }
}
