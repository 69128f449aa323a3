import TestSupport

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
