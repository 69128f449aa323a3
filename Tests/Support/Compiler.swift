internal import Foundation

/// Compiles Swift against the kit, as a package that uses it does.
public enum Compiler {
    /// The modules and objects of this build.
    private static let built = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().path

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
        let run = try await run(["-typecheck"] + flags + files)
        return run.status == 0 ? nil : run.text
    }

    /// Runs the compiler. It prefers the modules of the arguments' folders to the kit's.
    public static func run(_ arguments: [String]) async throws -> Program.Outcome {
        let kit = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("CoreAPI").path
        let maps = ["CCurl", "CHTTP2Observer/include", "CZlib"].map { "\(kit)/\($0)/module.modulemap" }
        // The kit's objects refer to the sanitizer of this process.
        let sanitizer = [("__asan_init", "address"), ("__tsan_init", "thread")].filter { dlsym(nil, $0.0) != nil }
        return try await Program.run(
            ["swiftc", "-swift-version", "6"] + sanitizer.map { "-sanitize=\($0.1)" } + arguments
                + ["-I", "\(built)/Modules", "-I", "\(built)/COpenCombineHelpers.build"]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] },
            capturesErrors: true)
    }

    /// The arguments for a program of tests besides the tests: its beginning, which is written to a folder, and the kit's objects.
    ///
    /// - Parameter modules: those that the program has in place of the kit's.
    public static func testProgram(in folder: URL, replacing modules: [String] = []) throws -> [String] {
        let main = folder.appendingPathComponent("Main.swift")
        try Data(
            "import Testing\n@main enum Main { static func main() async { await Testing.__swiftPMEntryPoint() as Never } }\n".utf8
        ).write(to: main)
        // The objects of this build. Its folders may also have those of files that exist no more.
        let list = "\(built)/NetworkerKitPackageTests.product/Objects.LinkFileList"
        let objects = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map(String.init).filter { object in
            let folder = URL(fileURLWithPath: object).pathComponents.first { $0.hasSuffix(".build") && $0 != ".build" } ?? ""
            let module = String(folder.dropLast(".build".count))
            return !module.lowercased().hasSuffix("tests") && !modules.contains(module)
        }
        // OpenCombine needs the third library.
        return ["-parse-as-library", "-wmo", main.path, "-lcurl", "-lz", "-l:libstdc++.so.6"] + objects
    }
}
