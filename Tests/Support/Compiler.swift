internal import Foundation

/// Compiles Swift against the kit, as a package that uses it does.
public enum Compiler {
    /// - Parameter flags: further ones for the compiler.
    /// - Returns: the compiler's errors; `nil` if it accepted the snippet.
    public static func complaint(about snippet: String, flags: [String] = []) async throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snippet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("snippet.swift")
        try Data(snippet.utf8).write(to: file)
        return try await complaint(aboutFiles: [file.path], flags: flags)
    }

    /// - Parameter files: the files of one module.
    /// - Returns: the compiler's errors; `nil` if it accepted the files.
    public static func complaint(aboutFiles files: [String], flags: [String] = []) async throws -> String? {
        let built = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().path
        let kit = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("CoreAPI").path
        let maps = ["CCurl", "CHTTP2Observer/include", "CZlib"].map { "\(kit)/\($0)/module.modulemap" }
        let run = try await Program.run(
            ["swiftc", "-typecheck", "-swift-version", "6", "-I", "\(built)/Modules", "-I", "\(built)/COpenCombineHelpers.build"]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + flags + files,
            capturesErrors: true)
        return run.status == 0 ? nil : run.text
    }
}
