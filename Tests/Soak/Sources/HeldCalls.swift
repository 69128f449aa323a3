import CoreAPI
import Foundation
import Synchronization

/// The bytes that a call holds while it waits for its transport: mostly the frames of its async functions. A request or a reply
/// that lies in a frame by value makes each of them larger, so the attributes that prevent this are guarded here.
enum HeldCalls {
    /// Prints the figures, and whether they are within their bounds.
    static func check() async -> Bool {
        let (transport, other) = (Holding(), Holding())
        var channel = Channel(
            name: "HELD", environment: APIEnvironment("memory", baseURL: "https://api.example.com"), transport: transport)
        channel.enhancers = Array(repeating: Passing(), count: 10)
        channel.interceptors = Array(repeating: Passing(), count: 3)
        let manager = NetworkManager<Never>(channel: channel)
        let client = APIClient(transport: other)
        let request = APIRequest(.get("orders"), environment: channel.environment, decoding: .data)
        // 4,529 to 4,592 and 5,807 were measured, with ten enhancers and three interceptors in the first. A client makes a
        // channel for each call.
        let bytes = await bytes(transport) { $0.addTask { _ = await manager.response(for: .get("orders"), as: .data) } }
        let clientBytes = await Self.bytes(other) { $0.addTask { _ = await client.response(to: request) } }
        print("a held call takes \(bytes) bytes, at most 4,800 are allowed; a client's takes \(clientBytes), at most 6,400")
        return bytes <= 4_800 && clientBytes <= 6_400
    }

    /// The bytes that a call holds whose task is added.
    private static func bytes(_ transport: Holding, _ add: (inout TaskGroup<Void>) -> Void) async -> Int {
        var bytes = 0
        // The first round allocates what is made once.
        for count in [500, 5_000] {
            let before = Figures().heldBytes
            await withTaskGroup { group in
                for _ in 0..<count { add(&group) }
                while transport.count < count { await Task.yield() }
                bytes = (Figures().heldBytes - before) / count
                transport.release()
            }
        }
        return bytes
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

        func send(_ attempt: Attempt) async -> RawResponse {
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
            return RawResponse(attempt, head: ResponseHead(status: .ok), body: .none)
        }
    }

    private struct Passing: RequestEnhancer, RequestInterceptor {
        func enhance(_ request: inout Request) { request.timeout.idle += .zero }
        func deenhance(_ response: inout Response<Data>) {}
        func adapt(_ request: inout Request) async throws {}
        func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult { .doNotRetry }
    }
}
