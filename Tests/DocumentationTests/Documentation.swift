import Foundation
import Testing

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

    /// The blocks of Swift in a file.
    static func swift(in file: String) throws -> [String] {
        try text(file).matches(of: /```swift\n([\s\S]*?)```/).map { String($0.output.1) }
    }

    /// Whether the files of this target contain a block, line by line.
    static func isCompiled(_ block: String) throws -> Bool {
        let command = folder.deletingLastPathComponent().appendingPathComponent("NetworkerOfTests")
        return try [folder, command].contains { folder in
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
            return try names.contains { name in
                normalized(try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)).contains(
                    normalized(block))
            }
        }
    }

    /// Without white space and trailing commas, which the formatter changes.
    private static func normalized(_ code: String) -> String {
        code.filter { !$0.isWhitespace }.replacing(",]", with: "]")
    }
}
