import Dispatch
import TestSupport

@Suite("Queues: a completion")
struct CompletionTests {
    @Test("that belongs to no actor runs on the main queue, or on the channel's queue")
    func queue() async {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        let own = DispatchQueue(label: "own")
        own.setSpecific(key: key, value: "own")
        var channel = Channel.test(RecordingTransport(body: #"{"id":7}"#))
        for (queue, name) in [(CallbackQueue.main, "main"), (.queue(own), "own")] {
            channel.callbackQueue = queue
            let (manager, dispatcher) = (channel.manager, channel.dispatcher)
            #expect(
                await completion { seen in
                    manager.request(endpoint: TestEndpoint(), type: Item.self) { _ in seen(DispatchQueue.getSpecific(key: key)) }
                } == name)
            #expect(
                await completion { seen in
                    dispatcher.response(for: TestEndpoint(), as: .nothing) { _ in seen(DispatchQueue.getSpecific(key: key)) }
                } == name)
        }
    }

    @Test("does not make the call itself run on the callback queue")
    func callOffQueue() async {
        let key = DispatchSpecificKey<Bool>()
        let own = DispatchQueue(label: "own")
        own.setSpecific(key: key, value: true)
        let wasOnQueue = Shared(false)
        let transport = RecordingTransport { request in
            if DispatchQueue.getSpecific(key: key) == true { wasOnQueue.change { $0 = true } }
            return .answer(to: request)
        }
        let manager = Channel.test(transport) { $0.callbackQueue = .queue(own) }.manager
        _ = await completion { manager.response(for: TestEndpoint(), as: .decodable(Item.self), completion: $0) }
        #expect(!wasOnQueue.current)
    }

    @Test("is called exactly once after a cancellation at any time")
    func cancellation() async {
        let (stream, started) = AsyncStream.makeStream(of: Void.self)
        let transport = RecordingTransport { request in
            started.yield()
            try? await Task.sleep(for: .seconds(3_600))
            return Response(request: request, result: .failure(.cancelled(APIClientError.Context(request))))
        }
        let calls = Shared(0)
        let (done, finish) = AsyncStream.makeStream(of: Bool.self)
        let cancellable = Channel.test(transport).manager.request(endpoint: TestEndpoint(), type: Item.self) { result in
            _ = calls.next()
            if case .failure(let error) = result { finish.yield(error.isCancelled) } else { finish.yield(false) }
        }
        for await _ in stream { break }
        cancellable.cancel()
        cancellable.cancel()
        #expect(await done.first { _ in true } == true)
        cancellable.cancel()
        #expect(calls.current == 1)
    }

    @Test("1,000 completions are each called once")
    func many() async {
        let manager = Channel.test(RecordingTransport(body: #"{"id":7}"#)).manager
        let calls = Shared([Int: Int]())
        await each(of: 1_000, atOnce: 1_000) { index in
            await withCheckedContinuation { continuation in
                let cancellable = manager.request(endpoint: TestEndpoint(), type: Item.self) { _ in
                    calls.change { $0[index, default: 0] += 1 }
                    continuation.resume()
                }
                if index.isMultiple(of: 2) { cancellable.cancel() }
            }
        }
        #expect(calls.current.count == 1_000 && calls.current.values.allSatisfy { $0 == 1 })
    }
}
