import Foundation

/// The file through which a running sandbox tells the channels' sandbox environments whom to trust.
struct AuthorityFile: Sendable {
    let path: String

    /// Puts the text in place at once and whole, readable for this user only; makes the folder if need be.
    ///
    /// - Throws: ``Failure`` with what the system said.
    func write(_ text: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        // If it cannot be made, opening the file says why.
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // A new file under a random name, then the rename: nothing is written through a link that stood
        // there.
        let draft = "\(path).\(UUID().uuidString)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            throw Failure(path: path, code: code)
        }
    }

    /// Removes the file, unless another sandbox has put its own in place since.
    func remove(ifStill text: String) {
        guard FileManager.default.contents(atPath: path) == Data(text.utf8) else { return }
        unlink(path)
    }

    struct Failure: Error, Hashable, LocalizedError {
        let path: String
        let code: Int32

        var errorDescription: String? { "the authority cannot be kept in \(path): \(String(cString: strerror(code)))" }
    }
}
