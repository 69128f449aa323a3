import TestSupport

/// Compiles Swift against the kit, as a package that uses it does.
enum Compiler {
    /// - Parameter flags: further ones for the compiler.
    /// - Returns: the compiler's errors; `nil` if it accepted the snippet.
    static func complaint(about snippet: String, flags: [String] = []) async throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snippet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("snippet.swift")
        try Data(snippet.utf8).write(to: file)
        return try await complaint(aboutFiles: [file.path], flags: flags)
    }

    /// - Parameter files: the files of one module.
    /// - Returns: the compiler's errors; `nil` if it accepted the files.
    static func complaint(aboutFiles files: [String], flags: [String] = []) async throws -> String? {
        let modules = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("Modules").path
        let maps = ["CCurl", "CHTTP2Observer/include", "CZlib"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(SourceTree.path("CoreAPI/\($0)/module.modulemap"))"]
        }
        let run = try await Program.run(
            ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules] + maps + flags + files,
            capturesErrors: true)
        return run.status == 0 ? nil : run.text
    }
}
