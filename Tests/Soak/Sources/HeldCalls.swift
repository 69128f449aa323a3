import CoreAPI
import Foundation
import Synchronization

/// The bytes that a call holds while it waits for its transport: mostly the frames of its async functions. A request or a reply
/// that lies in a frame by value makes each of them larger, so the attributes that prevent this are guarded here.
enum HeldCalls {
    /// 4,592 were measured with ten enhancers and three interceptors.
    private static let bound = 4_800

    /// Prints the figure, and whether it is within the bound.
    static func check() async -> Bool {
        let transport = Holding()
        var channel = Channel(
            name: "HELD", environment: APIEnvironment("memory", baseURL: "https://api.example.com"), transport: transport)
        channel.enhancers = Array(repeating: Passing(), count: 10)
        channel.interceptors = Array(repeating: Passing(), count: 3)
        let manager = NetworkManager<Never>(channel: channel)
        var bytes = 0
        // The first round allocates what is made once.
        for count in [500, 5_000] {
            let before = Figures().heldBytes
            await withTaskGroup { group in
                for _ in 0..<count { group.addTask { _ = await manager.response(for: .get("orders"), as: .data) } }
                while transport.count < count { await Task.yield() }
                bytes = (Figures().heldBytes - before) / count
                transport.release()
            }
        }
        print("a held call takes \(bytes) bytes, at most \(bound) are allowed")
        return bytes <= bound
    }

    /// Answers when it is told to.
    private final class Holding: Transport {
        private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

        var count: Int { waiting.withLock { $0.count } }

        func release() {
            let all = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for continuation in all { continuation.resume() }
        }

        func send(_ attempt: Attempt) async -> Reply {
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
            return Reply(attempt, head: ResponseHead(status: .ok), body: .none)
        }
    }

    private struct Passing: RequestEnhancer, RequestInterceptor {
        func enhance(_ request: inout Request) { request.timeout.idle += .zero }
        func deenhance(_ response: inout Response<Data>) {}
        func adapt(_ request: inout Request) async throws {}
        func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult { .doNotRetry }
    }
}
