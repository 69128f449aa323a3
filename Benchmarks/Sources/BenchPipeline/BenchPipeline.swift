import Allocations
import CoreAPI
import Dispatch
import Foundation
import HTTPTypes
import Synchronization

/// The cost of the kit's pipeline without a network: ten enhancers and three interceptors that change nothing, logging off, and
/// a transport in memory. Prints a line of JSON; Bench makes a table of it.
///
///     BenchPipeline [ROUNDS]
@main
struct BenchPipeline {
    static func main() throws {
        let rounds = max(1, CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15)
        let manager = NetworkManager<MemoryEndpoint>(channel: .memory)
        let line = Box()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            var series = Series()
            for _ in 0..<rounds { await series.measure(manager) }
            await series.measureHeld()
            line.value = series.line
            done.signal()
        }
        done.wait()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(line.value), as: UTF8.self))
    }
}

/// Bench reads this line.
private struct Line: Encodable {
    var rounds = 0
    /// Medians of the rounds, per call.
    var microseconds = 0.0
    var allocations = 0.0
    /// Bytes in use per call that waits for its transport, including its task; with the same hooks as the other figures.
    var heldBytes = 0.0
}

/// `@unchecked`: written before the semaphore is signalled, read after the wait for it.
private final class Box: @unchecked Sendable {
    var value = Line()
}

private struct Series {
    private static let calls = 20_000
    private var microseconds: [Double] = []
    private var allocations: [Double] = []
    private var heldBytes = 0.0

    /// Holds calls at the same time and counts their bytes in use.
    mutating func measureHeld() async {
        let count = 10_000
        let holding = Holding()
        let manager = NetworkManager<MemoryEndpoint>(channel: .memory(holding))
        var before = 0
        await withTaskGroup { group in
            for round in [count / 10, count] {
                before = bytes_in_use()
                for _ in 0..<round { group.addTask { _ = await manager.response(for: MemoryEndpoint.orders, as: .data) } }
                while holding.count < round { await Task.yield() }
                heldBytes = Double(bytes_in_use() - before) / Double(round)
                holding.release()
                await group.waitForAll()
            }
        }
    }

    mutating func measure(_ manager: NetworkManager<MemoryEndpoint>) async {
        for _ in 0..<Self.calls / 4 { await call(manager) }
        let start = ContinuousClock.now
        // A call never waits here, so all calls run on this thread, whose allocations are counted.
        let before = allocations_count()
        for _ in 0..<Self.calls { await call(manager) }
        let after = allocations_count()
        microseconds.append((ContinuousClock.now - start) / .microseconds(1) / Double(Self.calls))
        allocations.append(Double(after - before) / Double(Self.calls))
    }

    private func call(_ manager: NetworkManager<MemoryEndpoint>) async {
        let response = await manager.response(for: MemoryEndpoint.orders, as: .data)
        guard case .success(let body) = response.result, body.count == Memory.body.count else { exit(1) }
    }

    var line: Line {
        Line(
            rounds: microseconds.count, microseconds: Self.median(microseconds), allocations: Self.median(allocations),
            heldBytes: heldBytes)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

private enum MemoryEndpoint: Endpoint {
    case orders

    var path: String { "orders/list" }
    var method: HTTPRequest.Method { .get }
}

private struct Memory: Transport {
    static let body = Data(repeating: 65, count: 1_024)

    func send(_ attempt: Attempt) async -> RawResponse {
        RawResponse(attempt, head: ResponseHead(status: .ok), body: .bytes(Self.body))
    }

    func close() async {}
}

/// Answers after ``release()``.
private final class Holding: Transport {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    var count: Int { waiting.withLock { $0.count } }

    func release() {
        for continuation in waiting.withLock({ waiting in
            defer { waiting = [] }
            return waiting
        }) {
            continuation.resume()
        }
    }

    func send(_ attempt: Attempt) async -> RawResponse {
        await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
        return RawResponse(attempt, head: ResponseHead(status: .ok), body: .bytes(Memory.body))
    }
}

private struct Passing: RequestEnhancer, RequestInterceptor {
    func enhance(_ request: inout Request) { request.timeout.idle += .zero }
    func deenhance(_ response: inout Response<Data>) {}
    func adapt(_ request: inout Request) async throws {}
    func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult { .doNotRetry }
}

extension Channel {
    fileprivate static var memory: Channel { memory(Memory()) }

    fileprivate static func memory(_ transport: any Transport) -> Channel {
        var channel = Channel(
            name: "MEMORY", environment: APIEnvironment("memory", baseURL: "https://api.example.com/v1"), transport: transport)
        channel.enhancers = Array(repeating: Passing(), count: 10)
        channel.interceptors = Array(repeating: Passing(), count: 3)
        return channel
    }
}
