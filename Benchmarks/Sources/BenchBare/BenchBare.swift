import CoreAPIJSON
import Foundation
import Measure
import RawCurl
import Synchronization

/// The lower bound for every client with Swift tasks. It uses libcurl with the kit's options; a task waits for the response and
/// gets the body, or the value that the kit's decoder makes of it.
@main
struct BenchBare {
    static func main() {
        let job = Job()
        let loop = Loop(job)
        let decoder = JSONBodyDecoder()
        // There is one address, set once; the requests before the measurement use it too.
        job.measure(on: job.usesExecutor ? loop : nil) { _ in
            let (status, body) = await loop.answer()
            guard status == 200, !body.isEmpty else { throw WrongAnswer(status: status) }
            switch job.decoding {
            case .body: break
            case .array:
                guard try !decoder.decode([Item].self, from: body).isEmpty else { throw WrongAnswer(status: status) }
            case .object:
                guard try !decoder.decode(Page.self, from: body).items.isEmpty else { throw WrongAnswer(status: status) }
            }
        }
    }
}

private func give(up reason: String) -> Never {
    FileHandle.standardError.write(Data("bench: \(reason)\n".utf8))
    exit(2)
}

/// libcurl's thread, which tasks may prefer to run on.
private final class Loop: TaskExecutor {
    /// The status is 0 if libcurl failed.
    typealias Answer = (status: Int, body: Data)

    private enum Message {
        case begin(UnsafeContinuation<Answer, Never>)
        case run(UnownedJob)
    }

    private struct State {
        var messages: [Message] = []
        var isAsleep = false
    }

    // Used by the thread only, except for `raw_wake`.
    private nonisolated(unsafe) let client: OpaquePointer
    private let places: Int
    private let state = Mutex(State())

    init(_ job: Job) {
        var settings = raw_settings()
        settings.ca = job.authority.map { UnsafePointer(strdup($0)) }
        settings.at_once = job.atOnce
        settings.host_limit = job.hostLimit ?? 0
        settings.streams = job.streams ?? 0
        settings.as_kit = 1
        guard let client = raw_make(settings) else { give(up: "no memory, or no libcurl") }
        raw_set_url(client, strdup(job.base + job.path))
        self.client = client
        places = job.atOnce
        Thread.detachNewThread { self.work() }
    }

    func answer() async -> Answer {
        await withUnsafeContinuation { post(.begin($0)) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        post(.run(UnownedJob(job)))
    }

    private func post(_ message: Message) {
        let wakes = state.withLock { state in
            state.messages.append(message)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wakes { raw_wake(client) }
    }

    private func work() {
        var messages: [Message] = []
        var waiting = [UnsafeContinuation<Answer, Never>?](repeating: nil, count: places)
        var call = raw_call()
        while true {
            while state.withLock({
                $0.isAsleep = false
                swap(&$0.messages, &messages)
                return !messages.isEmpty
            }) {
                for message in messages {
                    switch message {
                    case .begin(let continuation): waiting[raw_begin(client)] = continuation
                    case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                    }
                }
                messages.removeAll(keepingCapacity: true)
            }
            raw_perform(client)
            while raw_next(client, &call) != 0 {
                let body = call.length == 0 ? Data() : Data(bytes: call.body, count: call.length)
                waiting[call.place]?.resume(returning: (call.status, body))
            }
            let sleeps = state.withLock { state in
                state.isAsleep = state.messages.isEmpty
                return state.isAsleep
            }
            if sleeps { raw_sleep(client) }
        }
    }
}
