internal import Dispatch
internal import Foundation
internal import Meter
internal import Synchronization

/// One measurement of a client, from the command line. For clients whose requests are async functions.
public struct Job: Sendable {
    public enum Decoding: String, Sendable {
        case body, array, object
    }

    /// What is streamed, one body per request.
    public enum Stream: String, Sendable {
        case down, up, events
        case decodedEvents = "events-decoded"
    }

    private nonisolated(unsafe) let options: meter_options
    /// Scheme, host and port, without a slash at the end.
    public let base: String
    public let path: String
    public let warmPath: String
    /// The server's authority, if it is not the system's.
    public let authority: String?
    public let decoding: Decoding
    /// Requests under way at the same time.
    public let atOnce: Int
    /// Connections to the host; `nil` for the client's default.
    public let hostLimit: Int?
    /// Streams on an HTTP/2 connection; `nil` for the client's default.
    public let streams: Int?

    /// Whether tasks run on the I/O thread.
    public let usesExecutor: Bool
    /// Channels used in turn.
    public let channels: Int
    /// I/O threads; `nil` for the client's default.
    public let loops: Int?
    /// The address that another channel requests all the time, and whether that channel has separate threads.
    public let neighbour: String?
    public let isNeighbourApart: Bool
    /// What is streamed; `nil` for bodies that are collected.
    public let stream: Stream?
    /// The bytes of a streamed body, or the number of its events.
    public let bytes: Int
    /// The file that is written or sent; `nil` for a sequence.
    public let file: String?

    /// Reads the command line; ends the process if it is invalid.
    public init() {
        options = meter_parse(CommandLine.argc, CommandLine.unsafeArgv)
        base = String(cString: options.base)
        path = String(cString: options.path)
        warmPath = String(cString: options.warm_path)
        authority = options.ca.map { String(cString: $0) }
        let decode = String(cString: options.decode)
        guard let decoding = Decoding(rawValue: decode) else {
            FileHandle.standardError.write(Data("bench: --decode is body, array or object, got \"\(decode)\"\n".utf8))
            exit(2)
        }
        self.decoding = decoding
        atOnce = options.at_once
        hostLimit = options.host_limit > 0 ? options.host_limit : nil
        streams = options.streams > 0 ? options.streams : nil
        usesExecutor = options.executor != 0
        channels = max(1, options.channels)
        loops = options.loops > 0 ? options.loops : nil
        neighbour = options.neighbour.map { String(cString: $0) }
        isNeighbourApart = options.apart != 0
        stream = Stream(rawValue: String(cString: options.stream))
        bytes = options.bytes
        file = options.file.pointee == 0 ? nil : String(cString: options.file)
    }

    /// Sends the requests before the measurement and the measured ones, prints the line and returns.
    ///
    /// Blocks the main thread on purpose: with an async `main` Dispatch would own it, and valgrind cannot run that.
    ///
    /// - Parameters:
    ///   - executor: what the tasks prefer to run on.
    ///   - send: sends one request to a path; throws if it fails.
    public func measure(on executor: (any TaskExecutor)? = nil, _ send: @escaping @Sendable (String) async throws -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached(executorPreference: executor) {
            await run(send)
            done.signal()
        }
        done.wait()
    }

    /// Starts tasks that send requests until the process ends.
    public static func disturb(_ tasks: Int, _ send: @escaping @Sendable () async throws -> Void) {
        for _ in 0..<tasks {
            Task.detached {
                while true { try? await send() }
            }
        }
    }

    /// The neighbour's requests at the same time: many if they are held, few if the answers are large.
    public var neighbourRequests: Int { neighbour?.hasSuffix("/held") == true ? 64 : 4 }

    private func run(_ send: @escaping @Sendable (String) async throws -> Void) async {
        if options.warm > 0 {
            let warm = Tally(options.warm)
            await self.send(options.warm, to: warmPath, warm, send)
            if let failure = warm.completeFailure { meter_give_up(failure) }
        }
        let tally = Tally(options.count)
        meter_start()
        await self.send(options.count, to: path, tally, send)
        meter_stop()
        tally.print(options)
    }

    /// Runs `atOnce` tasks that take requests until none is left.
    private func send(_ count: Int, to path: String, _ tally: Tally, _ send: @escaping @Sendable (String) async throws -> Void)
        async
    {
        await withDiscardingTaskGroup { group in
            for _ in 0..<min(atOnce, count) {
                group.addTask {
                    while tally.take() {
                        let start = meter_now()
                        do {
                            try await send(path)
                            tally.complete(after: meter_now() - start)
                        } catch {
                            tally.fail(error)
                        }
                    }
                }
            }
        }
    }
}

/// The size of the pieces of a sequence that is sent.
public let pieceSize = 64 * 1_024

/// The error of a response that did not throw but has the wrong content.
public struct WrongAnswer: Error {
    public let status: Int

    public init(status: Int) {
        self.status = status
    }
}

/// The error of a body with another number of bytes or events than it should have.
public struct WrongCount: Error {
    public let found: Int

    /// - Throws: the error itself if the counts differ.
    public static func check(_ found: Int, _ job: Job) throws {
        guard found == job.bytes else { throw WrongCount(found: found) }
    }
}

private final class Tally: Sendable {
    private let count: Int
    private let taken = Atomic(0)
    private let completed = Atomic(0)
    private let failure = Mutex<String?>(nil)
    /// Every index is written once, by the task whose completion has that number.
    private nonisolated(unsafe) let latencies: UnsafeMutablePointer<UInt64>

    init(_ count: Int) {
        self.count = count
        latencies = .allocate(capacity: count)
        latencies.initialize(repeating: 0, count: count)
    }

    deinit {
        latencies.deallocate()
    }

    func take() -> Bool {
        taken.wrappingAdd(1, ordering: .relaxed).oldValue < count
    }

    func complete(after latency: UInt64) {
        latencies[completed.wrappingAdd(1, ordering: .relaxed).oldValue] = latency
    }

    func fail(_ error: any Error) {
        failure.withLock { if $0 == nil { $0 = String(describing: error) } }
    }

    /// The failure of the requests, if all failed.
    var completeFailure: String? {
        completed.load(ordering: .acquiring) == 0 ? failure.withLock { $0 ?? "" } : nil
    }

    func print(_ options: meter_options) {
        withUnsafePointer(to: options) { options in
            let completed = completed.load(ordering: .acquiring)
            if let failure = failure.withLock({ $0 }) {
                meter_print(options, latencies, completed, -1, failure)
            } else {
                meter_print(options, latencies, completed, -1, nil)
            }
        }
    }
}
