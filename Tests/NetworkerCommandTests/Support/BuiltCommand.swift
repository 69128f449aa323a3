import TestSupport

enum BuiltCommand {
    static let path = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("networker-of-tests").path

    /// Standard output and standard error in one pipe.
    static func run(_ arguments: [String], environment: [String: String] = ["HOME": "/tmp"]) async throws -> Program.Outcome {
        try await Program.run([path] + arguments, environment: environment, capturesErrors: true)
    }

    /// A script of a shell in which `$1` is the command, and `$2` and so on are the arguments.
    static func shell(
        _ script: String, _ arguments: [String] = [], input: String = "/dev/null"
    ) async throws -> Program.Outcome {
        try await Program.run(
            ["/bin/sh", "-c", script, "sh", path] + arguments, environment: ["HOME": "/tmp", "PATH": "/usr/bin:/bin"],
            input: input, capturesErrors: true)
    }

    static func streams(
        _ arguments: [String], input: String = "/dev/null", environment: [String: String] = ["HOME": "/tmp"]
    ) async throws -> (status: Int32, output: Data, errors: String) {
        let file = temporaryFile("errors")
        let outcome = try await Program.run(
            ["/bin/sh", "-c", "file=$1; shift; exec \"$@\" 2>\"$file\"", "sh", file.path, path] + arguments,
            environment: environment, input: input)
        return (outcome.status, outcome.output, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    /// Runs the command, and expects its exit code, parts of what it prints, and that it prints no others.
    ///
    /// - Returns: standard output and standard error.
    @discardableResult
    static func expect(
        _ arguments: [String], _ status: Int32, _ parts: String..., without others: [String] = [],
        environment: [String: String] = ["HOME": "/tmp"], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let outcome = try await run(arguments, environment: environment)
        let isRight = outcome.status == status && parts.allSatisfy(outcome.text.contains)
        let found = others.filter(outcome.text.contains)
        #expect(isRight && found.isEmpty, "\(arguments): \(outcome.status), \(outcome.text)", sourceLocation: sourceLocation)
        return outcome.text
    }
}

/// A file of the test's own.
func written(_ data: Data) throws -> URL {
    let file = temporaryFile()
    try data.write(to: file)
    return file
}

func written(_ text: String) throws -> URL { try written(Data(text.utf8)) }
