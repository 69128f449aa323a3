import TestSupport

@Suite("ResultHandler")
struct ResultHandlerTests {
    @Test("a result handler is called first, delays the caller and does not change the result, even if it throws")
    func resultHandler() async throws {
        let diary = Diary()
        var channel = Channel.test(RecordingTransport(body: #"{"id":7}"#))
        channel.logger = NotingLogger(diary: diary)
        channel.resultHandler = ResultHandler { response in
            diary.write("told \(response.error == nil)")
            throw Trouble(code: 1)
        }
        let item: Item = try await channel.manager.request(endpoint: TestEndpoint())
        diary.write("caller")
        #expect(item.id == 7)
        #expect(diary.all == ["log started", "told true", "log other", "log finished", "caller"])
    }

    @Test(
        "is called for a failure as well, on the main actor if it hops there, and a slow one delays the caller",
        .timeLimit(.minutes(1)))
    func failureAndDelay() async {
        let diary = Diary()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        var channel = Channel.test(RecordingTransport(status: 401))
        channel.resultHandler = ResultHandler { response in
            guard response.head?.status == .unauthorized else { return }
            for await _ in gate { break }
            await MainActor.run { diary.write("signed out") }
        }
        let manager = channel.manager
        let call = Task {
            let error = await manager.response(for: TestEndpoint(), as: Item.self).error
            diary.write("caller")
            return error?.label
        }
        diary.write("opened")
        open.yield()
        #expect(await call.value == "verification.unacceptableStatus.401")
        #expect(diary.all == ["opened", "signed out", "caller"])
    }
}
