import TestSupport

/// The repository's files, as far as they are documentation.
enum Documentation {
    static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
    static let catalog = "CoreAPI/Umbrella/CoreAPI.docc"

    static func text(_ file: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }

    /// The files below a folder whose names end so.
    static func files(in folder: String, _ end: String) throws -> [String] {
        let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
        return try #require(files).compactMap { $0 as? String }.filter { $0.hasSuffix(end) }.sorted().map { "\(folder)/\($0)" }
    }

    /// The blocks of Swift in a page, or in the comments of a Swift file, with the numbers of their first lines.
    static func samples(in file: String) throws -> [(line: Int, text: String)] {
        let source = try text(file)
        if file.hasSuffix(".md") {
            return source.matches(of: /(?m)^```swift\n([\s\S]*?)^```$/).map { block in
                (lineNumber(of: block.output.1, in: source), String(block.output.1))
            }
        }
        return source.matches(of: /(?m)^ *\/\/\/ ```swift\n((?: *\/\/\/.*\n)*?) *\/\/\/ ```$/).map { block in
            (lineNumber(of: block.output.1, in: source), String(block.output.1.replacing(/(?m)^ *\/\/\/ ?/, with: "")))
        }
    }

    private static func lineNumber(of text: Substring, in source: String) -> Int {
        source[..<text.startIndex].split(separator: "\n", omittingEmptySubsequences: false).count
    }
}
