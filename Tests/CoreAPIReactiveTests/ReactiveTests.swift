import CoreAPIReactive
import Dispatch
import OpenCombineShim
import TestSupport

@Suite("Reactive", .closing, .timeLimit(.minutes(1)))
struct ReactiveTests {
    struct Item: Codable, Equatable, Sendable { var id: Int }

    struct Provider: EndpointProvider {
        static var thing: GET<Void, Item> { create("thing") }
        static var place: POST<Item, Item> { create("thing") }
    }

    private func all(_ stream: AsyncStream<String>) async -> [String] { await stream.reduce(into: []) { $0.append($1) } }

    private func outcome<P: Publisher>(_ publisher: P) async -> [String] {
        let (heard, tell) = AsyncStream.makeStream(of: String.self)
        let subscription = publisher.sink { completion in
            if case .failure(let error) = completion { tell.yield("failed \((error as? APIClientError)?.label ?? "\(error)")") }
            tell.finish()
        } receiveValue: {
            tell.yield("\($0)")
        }
        defer { subscription.cancel() }
        return await all(heard)
    }

    @Test("publishes the whole response of a success or a failure, and never fails")
    func responses() async throws {
        let server = try LoopbackServer.test {
            $0.path == "/thing" ? .json(#"{"id":7}"#, headers: ["X-Total": "9"]) : .status(404, body: Data("gone".utf8))
        }
        let dispatcher = Channel.test(server).dispatcher
        let found = dispatcher.publisher(for: Provider.thing).asResponse().map { response in
            let total = response.head?.headers.first { $0.name.canonicalName == "x-total" }?.value ?? ""
            return "\(total) \((try? response.result.get())?.id ?? 0)"
        }
        #expect(await outcome(found) == ["9 7"])
        let missing = dispatcher.publisher(for: TestEndpoint("missing"), as: .text).asResponse().map { response in
            "\(response.head?.status.code ?? 0) \(String(decoding: response.data, as: UTF8.self)) \(response.error?.label ?? "")"
        }
        #expect(await outcome(missing) == ["404 gone verification.unacceptableStatus.404"])
    }

    @Test("publishes the value and finishes, or the error")
    func outcomes() async throws {
        let server = try LoopbackServer.test { $0.path == "/thing" ? .json(#"{"id":7}"#) : .status(404) }
        #expect(await outcome(server.manager.publisher(for: TestEndpoint(), as: .decodable(Item.self))) == ["Item(id: 7)"])
        let dispatcher = Channel.test(server).dispatcher
        #expect(await outcome(dispatcher.publisher(for: Provider.thing)) == ["Item(id: 7)"])
        #expect(await outcome(dispatcher.publisher(for: Provider.place(Item(id: 1)))) == ["Item(id: 7)"])
        #expect(await outcome(dispatcher.publisher(for: TestEndpoint(), as: .text)) == [#"{"id":7}"#])
        #expect(await outcome(dispatcher.publisher(for: TestEndpoint(), as: .decodable([Int].self))) == ["failed decoding"])
    }

    @Test("cold: no request is sent before a subscription, and each subscription is a separate call")
    func cold() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id":7}"#) }
        let publisher = server.manager.publisher(for: TestEndpoint(), as: .decodable(Item.self))
        #expect(server.requests.isEmpty)
        _ = await outcome(publisher)
        _ = await outcome(publisher)
        #expect(server.requests.count == 2)
    }

    /// Keeps its subscription and requests values only on demand; may cancel while it receives one.
    ///
    /// `@unchecked`: touched on the main actor only.
    final class Reluctant: Subscriber, @unchecked Sendable {
        typealias Input = Item
        typealias Failure = APIClientError
        let (heard, tell) = AsyncStream.makeStream(of: String.self)
        let leaves: Bool
        var subscription: (any Subscription)?
        init(leaves: Bool = false) { self.leaves = leaves }
        func receive(subscription: any Subscription) { self.subscription = subscription }
        func receive(_ input: Item) -> Subscribers.Demand {
            if leaves { subscription?.cancel() }
            tell.yield("\(input.id)")
            return leaves ? .none : .unlimited
        }
        func receive(completion: Subscribers.Completion<APIClientError>) {
            tell.yield("completed")
            tell.finish()
        }
    }

    @Test("the first demand sends the request, once, for any demand")
    @MainActor func demand() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id":7}"#) }
        let subscriber = Reluctant()
        server.manager.publisher(for: TestEndpoint(), as: .decodable(Item.self)).subscribe(subscriber)
        subscriber.subscription?.request(.none)
        // Another call makes a round trip. If this subscription had sent its request, the server would have received it before.
        _ = try await server.manager.request(endpoint: TestEndpoint(), type: Item.self)
        #expect(server.requests.count == 1)
        subscriber.subscription?.request(.max(3))
        subscriber.subscription?.request(.unlimited)
        #expect(await all(subscriber.heard) == ["7", "completed"])
        #expect(server.requests.count == 2)
        subscriber.subscription?.request(.unlimited)
        subscriber.subscription?.cancel()
    }

    @Test("a cancelled subscription cancels its call and receives no value and no completion")
    @MainActor func cancelled() async throws {
        let server = try LoopbackServer.test { _ in .stallBeforeHead }
        let subscriber = Reluctant()
        server.manager.publisher(for: TestEndpoint(), as: .decodable(Item.self)).subscribe(subscriber)
        subscriber.subscription?.request(.unlimited)
        _ = try await server.waitForRequests(1)
        subscriber.subscription?.cancel()
        try await server.waitForOpenConnections(atMost: 0)
        subscriber.tell.finish()
        #expect(await all(subscriber.heard).isEmpty)
        let unasked = Reluctant()
        server.manager.publisher(for: TestEndpoint(), as: .decodable(Item.self)).subscribe(unasked)
        unasked.subscription?.cancel()
        unasked.subscription?.request(.unlimited)
        #expect(server.requests.count == 1)
    }

    @Test("retryRequest makes exactly the given number of further attempts of one call")
    func retries() async throws {
        let server = try LoopbackServer.test { $0.exchange == 3 ? .json(#"{"id":7}"#) : .status(503) }
        let publisher = server.manager.publisher(for: TestEndpoint(), as: .decodable(Item.self))
        #expect(
            await outcome(publisher.retryRequest(max: 1, delay: .milliseconds(1))) == [
                "failed verification.unacceptableStatus.503"
            ])
        #expect(server.requests.count == 2)
        #expect(await outcome(publisher.retryRequest(max: 2)) == ["Item(id: 7)"])
    }

    @Test("asResult makes a failure a value, and the chain continues")
    func results() async throws {
        let server = try LoopbackServer.test { $0.path == "/thing" ? .status(503) : .json("{}") }
        let manager = server.manager
        let results = [1, 2].publisher.flatMap { _ in manager.publisher(for: TestEndpoint(), as: .decodable(Item.self)).asResult()
        }
        .map { result in if case .failure(let error) = result { error.label } else { "success" } }
        let label = "verification.unacceptableStatus.503"
        #expect(await outcome(results) == [label, label])
    }

    @Test("the value arrives on the channel's queue, the main one by default")
    func queue() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id":7}"#) }
        let key = DispatchSpecificKey<String>()
        let own = DispatchQueue(label: "own")
        own.setSpecific(key: key, value: "own")
        DispatchQueue.main.setSpecific(key: key, value: "main")
        var channel = Channel.test(server)
        for (queue, name) in [(CallbackQueue.main, "main"), (.queue(own), "own")] {
            channel.callbackQueue = queue
            let publisher = channel.manager.publisher(for: TestEndpoint(), as: .decodable(Item.self))
            let places = await outcome(publisher.map { _ in DispatchQueue.getSpecific(key: key) ?? "none" })
            #expect(places == [name])
        }
    }

    @Test("a subscriber that cancels while it receives the value gets no completion")
    @MainActor func leaving() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id":7}"#) }
        let subscriber = Reluctant(leaves: true)
        server.manager.publisher(for: TestEndpoint(), as: .decodable(Item.self)).subscribe(subscriber)
        subscriber.subscription?.request(.unlimited)
        for await value in subscriber.heard {
            #expect(value == "7")
            break
        }
        // A further event would arrive on the main queue before this.
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        subscriber.tell.finish()
        #expect(await all(subscriber.heard).isEmpty)
    }
}
