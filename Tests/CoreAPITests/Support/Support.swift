import Dispatch
import TestSupport

@testable import CoreAPICore

struct Item: Codable, Equatable, Sendable { var id: Int }

struct Trouble: Error, Equatable { var code: Int }

/// An executor for tasks that must continue even if other tests block the shared threads for longer than a deadline.
func ownThread() -> any TaskExecutor { QueueExecutor(DispatchQueue(label: "own")) }

/// What a call gives to its completion.
func completion<Value: Sendable>(of call: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
}

/// The result of a task that is cancelled before it begins.
func cancelled<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value {
    await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await operation()
    }.value
}

/// The results of operations that run at once.
func atOnce<Value: Sendable>(_ count: Int, _ operation: @escaping @Sendable () async throws -> Value) async rethrows -> [Value] {
    try await withThrowingTaskGroup { group in
        for _ in 0..<count { group.addTask { try await operation() } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

extension Channel {
    func item(_ endpoint: TestEndpoint = TestEndpoint()) async -> Response<Item> { await manager.response(for: endpoint) }

    /// The error of a call whose response is not decoded.
    func error(_ endpoint: TestEndpoint = TestEndpoint()) async -> APIClientError? {
        await manager.response(for: endpoint, as: .nothing).error
    }
}

/// Answers every later attempt with the first reply.
actor Keeper: Middleware {
    private var kept: RawResponse?

    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        if let kept { return kept }
        let reply = await next(attempt)
        kept = reply
        return reply
    }
}

extension Endpoint where Self == TestEndpoint {
    static func upload(_ body: Body) -> TestEndpoint { TestEndpoint("upload", .post, encoding: .body(body)) }
}

/// The package's own files, for tests of the architecture.
enum SourceTree {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    static func path(_ relative: String) -> String { "\(root)/\(relative)" }

    static func swiftFiles(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }.sorted()
    }

    static func folders(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }
}

/// Records the order of the stages.
final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func write(_ line: String) { lines.withLock { $0.append(line) } }
}

struct Noting: RequestEnhancer {
    let name: String
    let diary: Diary
    var instancePriority: Priority?
    func enhance(_ request: inout Request) { diary.write("enhance \(name)") }
    func deenhance(_ response: inout Response<Data>) { diary.write("deenhance \(name)") }
}

struct NotingInterceptor: RequestInterceptor {
    let diary: Diary
    var retries = 0
    func adapt(_ request: inout Request) async throws { diary.write("adapt \(request.attempt)") }
    func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
        diary.write("retry?")
        return response.attempts.count <= retries ? .retry : .doNotRetry
    }
}

struct NotingHandler: ErrorHandler {
    let diary: Diary
    func canResolve(_ error: APIClientError) -> Bool { true }
    func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        diary.write("resolve \(error.label)")
        return .doNotRetry
    }
}

struct NotingLogger: NetworkLogger {
    let diary: Diary
    func log(_ event: CallEvent) {
        switch event {
        case .started: diary.write("log started")
        case .retrying: diary.write("log retrying")
        case .finished: diary.write("log finished")
        case .pinMismatch, .warning, .resultHandlerFailed: diary.write("log other")
        default: break
        }
    }
}
