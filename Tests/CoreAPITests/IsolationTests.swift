import Dispatch
import TestSupport

@Suite("Queues: from any thread, and copies that share nothing", .closing, .timeLimit(.minutes(1)))
struct IsolationTests {
    @Test("a copy of a dispatcher shares no token, no connection and no switch")
    func copies() async throws {
        let server = try LoopbackServer.test { request in
            .json(#"{"id":7}"#, status: request.headers["authorization"] == "Bearer new" ? 200 : 401)
        }
        let refreshes = Shared(0)
        let bearer = BearerAuthentication(token: "old") { _ in
            _ = refreshes.next()
            return "new"
        }
        var channel = Channel.test(server.url) { $0.attemptMiddleware = [bearer] }
        let place = APIEnvironment.Switch(channel.environment)
        channel.environmentSwitch = place
        let dispatcher = CommonDispatcher(channel: channel)
        let copy = dispatcher.isolatedCopy()
        #expect(try await dispatcher.request(TestEndpoint(), as: .decodable(Item.self)) == Item(id: 7))
        #expect(refreshes.current == 1)
        place.environment = APIEnvironment(TestHost(baseURL: "http://127.0.0.1:9"), allowsInsecureConnections: true)
        #expect(try await copy.request(TestEndpoint(), as: .decodable(Item.self)) == Item(id: 7))
        #expect(refreshes.current == 2, "the copy had its own token")
        #expect(server.connectionsAccepted == 2)
        await dispatcher.channel.close()
        #expect(try await copy.request(TestEndpoint(), as: .decodable(Item.self)) == Item(id: 7), "its transport still works")
        await copy.channel.close()
    }

    @Test("one manager is used from many threads at once")
    func threads() async {
        let manager = Channel.test(RecordingTransport(body: #"{"id":7}"#)).manager
        let heard = Shared(0)
        await withCheckedContinuation { continuation in
            DispatchQueue.concurrentPerform(iterations: 64) { index in
                manager.attaching(Header("X-A", "\(index)")).request(endpoint: TestEndpoint(), type: Item.self) { result in
                    var isLast = false
                    heard.change {
                        $0 += (try? result.get()) == Item(id: 7) ? 1 : 1_000
                        isLast = $0 == 64
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
        #expect(heard.current == 64)
    }

    private let dispatcher = Channel.test(RecordingTransport(body: #"{"id":7,"data":{"items":[1,2]}}"#)).dispatcher

    private func heard<Value: Sendable>(_ decoding: ResponseDecoding<Value>) async throws -> Value {
        try await completion { dispatcher.response(for: TestEndpoint(), as: decoding, completion: $0) }.value
    }

    @Test("every form of value has a completion: data, a decoded one, JSON, text, none, one below a key path")
    func forms() async throws {
        #expect(try await heard(.data).count == 31)
        #expect(try await heard(.decodable(Item.self)) == Item(id: 7))
        #expect(try await heard(.json)["data"]?["items"]?[1]?.int == 2)
        #expect(try await heard(.text).hasPrefix("{"))
        let nothing: Void = try await heard(.nothing)
        #expect(nothing == ())
        #expect(try await heard(.decodable([Int].self, at: "data.items")) == [1, 2])
    }

    @Test("a given transport replaces the environment's fixtures")
    func givenTransport() async {
        let channel = Channel.test(RecordingTransport()) { $0.environment.fixturesType = .attached }
        let copy = CommonDispatcher(channel: channel).isolatedCopy(transport: RecordingTransport(status: 204))
        #expect(await copy.response(for: TestEndpoint(), as: .nothing).head?.status.code == 204)
    }
}
