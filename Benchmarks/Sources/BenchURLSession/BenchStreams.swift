import Foundation
import Measure
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Large bodies by the session's own means. On Linux it has no sequence of bytes, so a delegate counts them, and no stream that
/// code can write to, so a sequence is not sent.
struct BenchStreams {
    private let job: Job
    private let configuration: URLSessionConfiguration

    init(_ job: Job, _ configuration: URLSessionConfiguration) {
        // Its default ends a transfer after a minute without progress, which its own copies may take.
        configuration.timeoutIntervalForRequest = 600
        self.job = job
        self.configuration = configuration
    }

    func measure(_ stream: Job.Stream) {
        let session = URLSession(configuration: configuration)
        job.measure { path in
            guard let url = URL(string: job.base + path) else { throw WrongAnswer(status: 0) }
            switch stream {
            case .down:
                guard let file = job.file else { return try await receive(url) { data, _ in data.count } }
                let (place, response) = try await session.download(from: url)
                try check(response)
                let target = URL(fileURLWithPath: file)
                try? FileManager.default.removeItem(at: target)
                try FileManager.default.moveItem(at: place, to: target)
                let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
                try WrongCount.check(size ?? 0, job)
            case .up:
                guard let file = job.file else { throw WrongAnswer(status: 0) }
                var request = URLRequest(url: url)
                request.httpMethod = "PUT"
                try check(await session.upload(for: request, fromFile: URL(fileURLWithPath: file)).1)
            case .events, .decodedEvents:
                let decoder = JSONDecoder()
                try await receive(url) { data, lines in
                    var count = 0
                    data.withUnsafeBytes { bytes in
                        lines.read(bytes) { event in
                            let isComplete = stream == .events || (try? decoder.decode(Tick.self, from: Data(event))) != nil
                            if isComplete { count += 1 }
                        }
                    }
                    return count
                }
            }
        }
    }

    private func check(_ response: URLResponse) throws {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw WrongAnswer(status: status) }
    }

    private func receive(_ url: URL, _ use: @escaping Receiver.Use) async throws {
        let receiver = Receiver(use)
        let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let count = try await withCheckedThrowingContinuation { continuation in
            receiver.wait(with: continuation)
            session.dataTask(with: url).resume()
        }
        try WrongCount.check(count, job)
    }
}

private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
    /// Counts what a piece brings.
    typealias Use = @Sendable (Data, inout EventLines) -> Int

    private struct State {
        var count = 0
        var lines = EventLines()
        var continuation: CheckedContinuation<Int, any Error>?
    }

    private let state = Mutex(State())
    private let use: Use

    init(_ use: @escaping Use) {
        self.use = use
    }

    func wait(with continuation: CheckedContinuation<Int, any Error>) { state.withLock { $0.continuation = continuation } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.count += use(data, &$0.lines) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (continuation, count) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, state.count)
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume(returning: count) }
    }
}
