import CoreAPI
import Dispatch
import Foundation
import HTTPTypes
import Testing

@Suite("Dispatcher: an answer")
struct AnswersTests {
    struct Item: Codable, Equatable, Sendable { var id: Int }

    private let body = #"{"data":{"items":[{"id":1},{"id":2}],"2":"two","none":null},"şş":{"a":1.5},"ok":true}"#

    private var dispatcher: CommonDispatcher {
        CommonDispatcher(channel: .test("https://h.example", transport: RecordingTransport(body: body)))
    }

    // `@unchecked`: it holds nothing; a class that has heirs cannot say so.
    class Parent: Decodable, @unchecked Sendable {}

    // `@unchecked`: what it holds is constant.
    final class Child: Parent, @unchecked Sendable {
        private enum CodingKeys: String, CodingKey { case isOK = "ok" }

        let isOK: Bool

        required init(from decoder: any Decoder) throws {
            isOK = try decoder.container(keyedBy: CodingKeys.self).decode(Bool.self, forKey: .isOK)
            try super.init(from: decoder)
        }
    }

    @Test(
        "comes as the class that is given at run time, whichever came before", arguments: [BodyCoder.JSONCoding.kit, .foundation])
    func classes(coding: BodyCoder.JSONCoding) async throws {
        let given: Parent.Type = Child.self
        var channel = Channel.test(transport: RecordingTransport(body: #"{"ok":true,"in":{"ok":true}}"#))
        channel.coder = .json(using: coding)
        let dispatcher = CommonDispatcher(channel: channel)
        let child: Parent = try await dispatcher.value(for: TestEndpoint(), as: .decodable(given))
        let parent: Parent = try await dispatcher.value(for: TestEndpoint(), as: .decodable())
        let underPath: Parent = try await dispatcher.value(for: TestEndpoint(), as: .decodable(given, at: "in"))
        let own = try await dispatcher.value(for: TestEndpoint(), as: ResponseDecoding<Child>.decodable())
        #expect((child as? Child)?.isOK == true)
        #expect(type(of: parent) == Parent.self)
        #expect((underPath as? Child)?.isOK == true)
        #expect(own.isOK)
    }

    @Test("under a path is told by the coder's strategies", arguments: [BodyCoder.JSONCoding.kit, .foundation])
    func datesUnderPaths(coding: BodyCoder.JSONCoding) async throws {
        let body = #"{"placed":{"at":"2024-02-29T12:00:00Z"},"site":"https://h.example/a"}"#
        var channel = Channel.test(transport: RecordingTransport(body: body))
        channel.coder = .json(using: coding)
        let dispatcher = CommonDispatcher(channel: channel)
        let date = try await dispatcher.value(for: TestEndpoint(), as: .decodable(Date.self, at: "placed.at"))
        #expect(date == Date(timeIntervalSince1970: 1_709_208_000))
        let url = try await dispatcher.value(for: TestEndpoint(), as: .decodable(URL?.self, at: "site"))
        #expect(url == URL(string: "https://h.example/a"))
    }

    @Test("comes as bytes, text, JSON, a value, nothing, or the value under a key path")
    func forms() async throws {
        #expect(try await dispatcher.value(for: TestEndpoint(), as: .data) == Data(body.utf8))
        #expect(try await dispatcher.value(for: TestEndpoint(), as: .text) == body)
        try await dispatcher.value(for: TestEndpoint(), as: .nothing)
        let json = try await dispatcher.value(for: TestEndpoint(), as: .json)
        #expect(json["data"]?["items"]?[1]?["id"]?.int == 2)
        #expect(json["data"]?["none"]?.isNull == true)
        #expect(json["şş"]?["a"]?.double == 1.5)
        #expect(json["ok"]?.bool == true)
        #expect(json["data"]?["items"]?[7] == nil)
        #expect(json["ok"]?["no"] == nil)
        #expect(
            try await dispatcher.value(for: TestEndpoint(), as: .decodable([Item].self, at: "data.items")) == [
                Item(id: 1), Item(id: 2),
            ])
        #expect(try await dispatcher.value(for: TestEndpoint(), as: .decodable(Int.self, at: "data.items.1.id")) == 2)
        #expect(try await dispatcher.value(for: TestEndpoint(), as: .decodable(String.self, at: "data.2")) == "two")
        #expect(try await dispatcher.value(for: TestEndpoint(), as: .decodable(Int?.self, at: "data.none")) == nil)
        #expect(try await dispatcher.value(for: TestEndpoint(), as: .decodable([String: Double].self, at: "şş")) == ["a": 1.5])
    }

    @Test("is a value: changing a copy, or one with another result, leaves the response alone")
    func copies() async throws {
        let response = await dispatcher.response(for: TestEndpoint(), as: .data)
        var copy = response
        copy.data.append(0)
        copy.head?.headers[.server] = "other"
        copy.attempts = []
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
        "under a path that is not there is a decoding error that names it",
        arguments: [
            ("data.things", "things"), ("data.items.9", "9"), ("nothing.at.all", "nothing"), ("ok.deeper", "ok"),
            ("data.items.-1", "-1"),
        ])
    func missing(path: String, name: String) async {
        let response = await dispatcher.response(for: TestEndpoint(), as: .decodable(Int.self, at: path))
        guard case .decoding(let failure, _)? = response.error else { Issue.record("\(response)"); return }
        #expect(failure.localizedDescription.contains(name), "\(failure.localizedDescription)")
    }

    @Test("comes by completion as well, with everything known about the call")
    func completion() async {
        let response = await withCheckedContinuation { continuation in
            dispatcher.response(for: TestEndpoint(), as: .decodable(Bool.self, at: "ok")) { continuation.resume(returning: $0) }
        }
        #expect(try! response.value)
        #expect(response.attempts.count == 1)
    }

    @Test("JSON is written as it was read")
    func roundTrip() throws {
        let value: JSONValue = ["a": [1, nil, true, "ş"], "b": ["c": 2]]
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(value["a"]?.array?.count == 4)
        #expect(value.object?.count == 2)
    }

    @Test("nothing under a key path of an answer without a body is nil or an error by its status")
    func emptyKeyPath() async {
        let dispatcher = CommonDispatcher(
            channel: .test("https://h.example", transport: RecordingTransport(status: 204, body: "")))
        #expect(await dispatcher.response(for: TestEndpoint(), as: .decodable([Int]?.self, at: "data.items")).error == nil)
        let needed = await dispatcher.response(for: TestEndpoint(), as: .decodable([Int].self, at: "data.items")).error
        #expect(needed?.label == "verification.emptyBody")
    }

    @Test("a key path with an empty part names a key that is not there", arguments: ["", ".", "a..b", "a.", "+0", "a.+0"])
    func oddKeyPath(path: String) async {
        let body = #"{"a":[1],"b":2}"#
        let dispatcher = CommonDispatcher(channel: .test("https://h.example", transport: RecordingTransport(body: body)))
        #expect(
            await dispatcher.response(for: TestEndpoint(), as: .decodable(JSONValue.self, at: path)).error?.label == "decoding")
    }
}
