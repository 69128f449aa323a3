package import Foundation

/// A file that is written beside and renamed, so that it is never half written and never written through an existing link.
package struct FileReplacement: Sendable {
    package let path: String
    /// The permissions of a new file.
    package let mode: mode_t

    package init(path: String, mode: mode_t = 0o644) {
        self.path = path
        self.mode = mode
    }

    /// - Throws: ``Failure`` with the system's error.
    package func write(_ data: Data) throws {
        let draft = "\(path).\(UUID().uuidString)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            try handle.write(contentsOf: data)
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

    package struct Failure: Error, Hashable, LocalizedError {
        package let path: String
        package let code: Int32

        package var reason: String { String(cString: strerror(code)) }
        package var errorDescription: String? { "cannot write \(path): \(reason)" }
    }
}
