import TestSupport

/// The package's own files, for tests of the architecture.
enum SourceTree {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    static func path(_ relative: String) -> String { "\(root)/\(relative)" }

    /// Swift files below a folder, relative to the root.
    static func swiftFiles(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }.sorted()
    }

    static func folders(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }
}
