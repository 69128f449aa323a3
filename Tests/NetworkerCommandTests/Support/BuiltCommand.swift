import TestSupport

/// The built command, in a process of its own.
enum BuiltCommand {
    static var path: String {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("networker-of-tests").path
    }

    /// Standard output and standard error in one pipe.
    static func run(_ arguments: [String]) async throws -> Program.Outcome {
        try await Program.run([path] + arguments, environment: ["HOME": "/tmp"], capturesErrors: true)
    }

    /// A script of a shell in which `$1` is the command, and `$2` and so on are the arguments.
    static func shell(_ script: String, _ arguments: [String] = []) async throws -> Program.Outcome {
        try await Program.run(
            ["/bin/sh", "-c", script, "sh", path] + arguments, environment: ["HOME": "/tmp", "PATH": "/usr/bin:/bin"],
            capturesErrors: true)
    }

    /// A folder that is there while the operation runs.
    static func withFolder<Value>(_ operation: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await operation(folder)
    }
}
