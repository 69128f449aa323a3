internal import CoreAPIHTTP
public import Foundation

/// Runs a program to its end.
///
/// Uses `posix_spawn`, because Foundation's `Process` reads beyond the end of a directory entry on Linux, which has crashed a
/// run. Runs on its own thread, because a wait would take a thread of the cooperative pool from the other tests.
public enum Program {
    public struct Outcome: Sendable {
        /// The exit code, or 128 plus the signal that ended it.
        public let status: Int32
        public let output: Data

        public var text: String { String(decoding: output, as: UTF8.self) }

        /// The numbers of the first line with this beginning; none without such a line.
        public func numbers(after beginning: String) -> [Int] {
            let line = text.split(separator: "\n").first { $0.hasPrefix(beginning) }
            return line?.dropFirst(beginning.count).split(separator: " ").compactMap { Int($0) } ?? []
        }
    }

    public struct Failure: Error {
        public let call: String
        public let code: Int32
    }

    /// Runs this program again: a suite of its tests, with more variables in the environment.
    ///
    /// - Parameter launcher: a program that starts this one.
    public static func tests(
        of suite: String, _ variables: [String: String], by launcher: [String] = []
    ) async throws -> Outcome {
        try await run(
            launcher + [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", suite],
            environment: ProcessInfo.processInfo.environment.merging(variables) { $1 }, capturesErrors: true)
    }

    public static func exists(_ name: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// - Parameters:
    ///   - arguments: the first one is the program, searched in `PATH`.
    ///   - environment: `nil` for this process's own. The options of a sanitizer are always this process's.
    ///   - input: a file; empty by default.
    ///   - capturesErrors: whether the output includes standard error.
    /// - Throws: ``Failure`` if it does not start. If the task is cancelled, the program is killed.
    public static func run(
        _ arguments: [String], environment: [String: String]? = nil, input: String = "/dev/null", capturesErrors: Bool = false
    ) async throws -> Outcome {
        let running = Running()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let own = ProcessInfo.processInfo.environment
                            let options = own.filter { ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key) }
                            let whole = (environment ?? own).merging(options) { given, _ in given }
                            return try runAndWait(arguments, whole, input, capturesErrors, running)
                        })
                }
            }
        } onCancel: {
            running.cancel()
        }
    }

    /// A program and what it has started, which the time limit of a test ends.
    private final class Running: Sendable {
        private let state = Mutex<(group: pid_t?, isCancelled: Bool)>((nil, false))

        func begin(_ group: pid_t) {
            state.withLock { state in
                state.group = group
                if state.isCancelled { kill(-group, SIGKILL) }
            }
        }

        /// Before the number is free for another process.
        func end() { state.withLock { $0.group = nil } }

        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                if let group = state.group { kill(-group, SIGKILL) }
            }
        }
    }

    private static func runAndWait(
        _ arguments: [String], _ environment: [String: String], _ input: String, _ capturesErrors: Bool, _ running: Running
    ) throws -> Outcome {
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting.fileDescriptor
        var actions = posix_spawn_file_actions_t()
        try check("posix_spawn_file_actions_init", posix_spawn_file_actions_init(&actions))
        defer { posix_spawn_file_actions_destroy(&actions) }
        try check("addopen", posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0))
        try check("adddup2", posix_spawn_file_actions_adddup2(&actions, writer, 1))
        if capturesErrors { try check("adddup2", posix_spawn_file_actions_adddup2(&actions, writer, 2)) }
        // The program inherits no socket of another test's server. From glibc 2.34, behind a macro that Swift does not set.
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        if let close = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
            try check("addclosefrom", unsafeBitCast(close, to: CloseFrom.self)(&actions, 3))
        }
        var attributes = posix_spawnattr_t()
        try check("posix_spawnattr_init", posix_spawnattr_init(&attributes))
        defer { posix_spawnattr_destroy(&attributes) }
        try check("setpgroup", posix_spawnattr_setpgroup(&attributes, 0))
        try check("setflags", posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)))
        var process = pid_t()
        let code = withStrings(arguments) { list in
            withStrings(environment.map { "\($0)=\($1)" }) { environment in
                posix_spawnp(&process, arguments.first ?? "", &actions, &attributes, list, environment)
            }
        }
        try check("posix_spawnp", code)
        running.begin(process)
        try pipe.fileHandleForWriting.close()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        running.end()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Failure(call: "waitpid", code: errno) }
        }
        let signal = status & 0x7F
        return Outcome(status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: output)
    }

    private static func check(_ call: String, _ code: Int32) throws { if code != 0 { throw Failure(call: call, code: code) } }

    private static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("never empty: it ends with nil") }
            return body(base)
        }
    }
}
