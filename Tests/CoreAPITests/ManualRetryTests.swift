import TestSupport

@testable import CoreAPICore

@Suite("Manual retry", .closing, .timeLimit(.minutes(1)))
struct ManualRetryTests {
    private func outcome(_ response: Response<Item>) -> String {
        "\(response.attempts.count) \(response.error?.label ?? "success")"
    }

    @Test("a completion makes further attempts in a task, counted over the whole call, until the reason why not")
    func counted() async {
        let transport = RecordingTransport(status: 500)
        let (heard, tell) = AsyncStream.makeStream(of: String.self)
        Channel.test(transport).manager.response(for: TestEndpoint(), as: .decodable(Item.self)) { response in
            tell.yield(outcome(response))
            Task {
                var response = response
                do throws(Call.RetryRejection) {
                    while true {
                        response = try await response.retry(max: 3, delay: .milliseconds(1))
                        tell.yield(outcome(response))
                    }
                } catch {
                    tell.yield("\(error)")
                    tell.finish()
                }
            }
        }
        let all = await heard.reduce(into: []) { $0.append($1) }
        let label = "verification.unacceptableStatus.500"
        #expect(all == ["1 \(label)", "2 \(label)", "3 \(label)", "4 \(label)", "exhausted(max: 3)"])
        #expect(transport.requests.map(\.attempt) == [1, 2, 3, 4])
        #expect(Set(transport.requests.map(\.call.id)).count == 1, "one call")
        #expect(Call.RetryRejection.exhausted(max: 3).localizedDescription.contains("3"))
    }

    @Test("adapted again but not enhanced again, with a new timeout and the recorded delay")
    func stages() async throws {
        let diary = Diary()
        let transport = RecordingTransport(statuses: [500, 200], body: #"{"id":7}"#)
        var channel = Channel.test(transport)
        channel.enhancers = [Noting(name: "own", diary: diary)]
        channel.interceptors = [NotingInterceptor(diary: diary)]
        channel.modifiers = [Header("X-A", "1")]
        let second = try #require(try? await channel.item().retry(max: 1, delay: .milliseconds(5)))
        #expect(try second.value == Item(id: 7))
        #expect(second.attempts.map(\.status) == [500, 200])
        #expect(second.attempts.map(\.delay) == [.zero, .milliseconds(5)])
        #expect(diary.all == ["enhance own", "adapt 1", "deenhance own", "retry?", "adapt 2", "deenhance own"])
        #expect(
            transport.requests.map { $0.headers.map(\.value) } == Array(repeating: ["application/json", "1"], count: 2),
            "nothing is there twice")
        #expect(transport.requests[1].deadline > transport.requests[0].deadline)
        #expect((try? await second.retry(max: 1)) == nil)
    }

    @Test("is one attempt, whatever the handlers decide, within the channel's limit")
    func limits() async throws {
        let eager = Resolving { .retry }
        var channel = Channel.test(RecordingTransport(status: 500)) { ($0.errorHandler, $0.limits.attempts) = (eager, 3) }
        let first = await channel.item()
        #expect(first.attempts.count == 3)
        #expect((try? await first.retry(max: 5)) == nil, "the channel allows three")
        channel.errorHandler = CompositeErrorHandler()
        let single = await channel.item()
        channel.errorHandler = eager
        let second = try #require(try? await single.retry(max: 5))
        #expect(second.attempts.count == 2 && second.attempts.map(\.number) == [1, 2])
        let third = try #require(try? await second.retry(max: 5))
        #expect((try? await third.retry(max: 5)) == nil)
    }

    @Test(
        "cancelling its task stops an attempt and the pause before it",
        arguments: [Duration.zero, .seconds(3_600), .seconds(Int64.max)])
    func cancelled(delay: Duration) async throws {
        let (started, attempts) = AsyncStream.makeStream(of: Int.self)
        let transport = RecordingTransport { request in
            attempts.yield(request.attempt)
            if request.attempt == 1 { return .answer(to: request, status: 500) }
            try? await Task.sleep(for: .seconds(3_600))
            return Response(request: request, result: .failure(.cancelled(APIClientError.Context(request))))
        }
        let first = await Channel.test(transport).item()
        let retry = Task { try await first.retry(max: 3, delay: delay) }
        if delay == .zero { for await attempt in started where attempt == 2 { break } }
        retry.cancel()
        #expect(try await retry.value.error?.label == "cancelled")
        #expect(transport.requests.count == (delay == .zero ? 2 : 1), "a cancelled pause sends nothing")
    }

    @Test("a call that could not be built, and a transformed response, cannot be repeated")
    func nothingToRepeat() async {
        let channel = Channel.test(RecordingTransport(body: #"{"id":7}"#))
        #expect((try? await channel.item(TestEndpoint("\r\n")).retry(max: 1)) == nil)
        #expect((try? await channel.item().map(\.id).retry(max: 1)) == nil)
        // Of the same type or not, the next attempt's value would not be transformed.
        let delivered = await channel.item()
        let transformed = delivered.map { $0 }
        await #expect(throws: Call.RetryRejection.nothingToRepeat) { try await transformed.retry() }
        #expect((try? await delivered.retry().retry())?.attempts.count == 3, "a success, too")
    }

    @Test("one response is retried once, even if many callers retry at once")
    func once() async {
        let transport = RecordingTransport(status: 500)
        let first = await Channel.test(transport).item()
        let outcomes = await atOnce(100) {
            do throws(Call.RetryRejection) {
                return "\(try await first.retry(max: 200).attempts.count)"
            } catch { return "\(error)" }
        }
        #expect(outcomes.sorted() == ["2"] + Array(repeating: "alreadyRetried", count: 99))
        #expect(transport.requests.count == 2)
    }

    @Test("invalid numbers mean no attempts or no pause", arguments: [Int.min, -1, 0])
    func oddNumbers(max: Int) async throws {
        let first = await Channel.test(RecordingTransport(status: 500)).item()
        await #expect(throws: Call.RetryRejection.exhausted(max: max)) { try await first.retry(max: max) }
        #expect(try await first.retry(max: .max, delay: .seconds(Int64.min)).attempts.count == 2)
    }

    final class Screen: Sendable {
        let kept = Mutex<Response<Item>?>(nil)
        private let life: AsyncStream<Never>.Continuation
        init(_ life: AsyncStream<Never>.Continuation) { self.life = life }
        deinit { life.finish() }
    }

    enum Door: CaseIterable { case response, result, void }

    @Test("a response that is kept does not keep its completion", arguments: Door.allCases, [200, 500])
    func released(door: Door, status: Int) async {
        let (life, continuation) = AsyncStream.makeStream(of: Never.self)
        do {
            let screen = Screen(continuation)
            let manager = Channel.test(RecordingTransport(status: status, body: #"{"id":7}"#)).manager
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                switch door {
                case .response:
                    manager.response(for: TestEndpoint(), as: .decodable(Item.self)) { response in
                        screen.kept.withLock { $0 = response }
                        done.resume()
                    }
                case .result:
                    manager.request(endpoint: TestEndpoint(), type: Item.self) { _ in
                        withExtendedLifetime(screen) { done.resume() }
                    }
                case .void:
                    manager.request(endpoint: TestEndpoint()) { _ in withExtendedLifetime(screen) { done.resume() } }
                }
            }
        }
        // Ends when the screen is released; a leaked one ends at the suite's time limit.
        for await _ in life {}
        #expect(!Task.isCancelled)
    }

    /// Answers without a pipeline.
    struct Canned: Dispatcher {
        let url: HTTPURL
        func response<Value: Sendable>(for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>) async -> Response<Value>
        {
            let levels = endpoint.modifierLevels.map { $0.compactMap { ($0 as? Header)?.value }.joined() }.joined(separator: "|")
            let call = Call(channel: .test(RecordingTransport()), endpoint: endpoint.description)
            let request = Request(call: call, method: endpoint.method, url: url)
            let error = APIClientError(Trouble(code: 1), APIClientError.Context(request))
            return Response(request: request, data: Data(levels.utf8), result: .failure(error))
        }
    }

    @Test("a custom dispatcher sees every level, and its responses cannot be repeated")
    func ownDispatcher() async throws {
        let manager = NetworkManager<TestEndpoint>(dispatcher: Canned(url: try HTTPURL("https://h.example"))).attaching(
            Header("X-A", "1")
        ).attaching(Header("X-A", "2"))
        let response = await manager.response(for: TestEndpoint(modifiers: [Header("X-A", "0")]), as: Item.self)
        #expect(String(decoding: response.data, as: UTF8.self) == "0|1|2")
        #expect(response.error?.label == "unknown")
        await #expect(throws: Call.RetryRejection.nothingToRepeat) { try await response.retry() }
    }
}
