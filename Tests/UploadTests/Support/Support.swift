import TestSupport

/// A file that its owner removes.
final class TemporaryFile: Sendable {
    let url: URL

    init(_ data: Data) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
        try data.write(to: url)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
