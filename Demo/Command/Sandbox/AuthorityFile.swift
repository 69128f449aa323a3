import CoreAPIHTTP
import Foundation
import NetworkerCommand

/// The file with a running sandbox's authority. The channels' sandbox environments trust that authority.
struct AuthorityFile: Sendable {
    let path: String

    /// Replaces the file atomically, readable by this user only; creates the folder if necessary.
    ///
    /// - Throws: ``Failure`` with the system's error.
    func write(_ text: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        // If this fails, opening the file reports the reason.
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do throws(FileFailure) {
            try FileReplacement(path: path, mode: 0o600).write(Data(text.utf8))
        } catch {
            throw Failure(path: path, code: error.code)
        }
    }

    /// Removes the file, unless another sandbox has replaced it since.
    func remove(ifStill text: String) {
        guard FileManager.default.contents(atPath: path) == Data(text.utf8) else { return }
        unlink(path)
    }

    struct Failure: Error, Hashable, LocalizedError {
        let path: String
        let code: Int32

        var errorDescription: String? { "cannot write the authority to \(path): \(String(cString: strerror(code)))" }
    }
}
