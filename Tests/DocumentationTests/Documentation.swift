import TestSupport

/// The samples of the README and the documentation's pages, and the compiled ones.
enum Documentation {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    static let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    static let catalog = "CoreAPI/Umbrella/CoreAPI.docc"

    static func text(_ file: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }

    /// The pages of the catalog, by file name.
    static func pages() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(catalog).path)
            .filter { $0.hasSuffix(".md") }.sorted()
    }

    /// The files of all modules' catalogs.
    static func catalogs() throws -> [String] {
        try ["CoreAPI", "Command"].flatMap { folder in
            let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return try #require(files).compactMap { $0 as? String }
                .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
    }

    /// The files with the code of all modules and of the command.
    static func sources() throws -> [String] {
        try ["CoreAPI", "Command"].flatMap { folder in
            let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return try #require(files).compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
        }
    }

    /// The blocks of Swift in a page.
    static func swift(in file: String) throws -> [String] {
        try text(file).matches(of: /```swift\n([\s\S]*?)```/).map { String($0.output.1) }
    }

    /// The blocks of Swift in the doc comments of a file, with the number of their first line.
    static func samples(inCommentsOf file: String) throws -> [(file: String, line: Int, text: String)] {
        let source = try text(file)
        return source.matches(of: /(?m)^ *\/\/\/ ```swift\n((?: *\/\/\/.*\n)*?) *\/\/\/ ```$/).map { match in
            let line = source[..<match.output.1.startIndex].split(separator: "\n", omittingEmptySubsequences: false).count
            return (file, line, String(match.output.1.replacing(/(?m)^ *\/\/\/ ?/, with: "")))
        }
    }

    /// Whether a file of this target, or the test's command, contains a block, line by line.
    static func isCompiled(_ block: String) throws -> Bool {
        let block = normalized(block)
        return try compiled.get().contains { $0.contains(block) }
    }

    private static let compiled = Result {
        let command = folder.deletingLastPathComponent().appendingPathComponent("NetworkerOfTests")
        return try [folder, command].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
                .map { normalized(try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)) }
        }
    }

    /// Without white space and trailing commas, which the formatter changes.
    private static func normalized(_ code: String) -> String { code.filter { !$0.isWhitespace }.replacing(",]", with: "]") }
}
