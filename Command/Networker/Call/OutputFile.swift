import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import Foundation

/// The file of `--output`; `-` is standard output.
struct OutputFile: Sendable, Hashable {
    let path: String

    /// Before anything is sent: makes a file beside it, and removes that one.
    ///
    /// - Parameters:
    ///   - content: what the file will hold, for the error.
    ///   - advice: the end of the error.
    /// - Throws: `ValidationError` if the file cannot be written.
    func check(for content: String = "the body", or advice: String = "") throws {
        guard path != "-", let reason else { return }
        throw ValidationError("cannot write \(content) to '\(path.escapingControls)': \(reason)\(advice)")
    }

    /// Why the file cannot be written; `nil` if it can.
    private var reason: String? {
        let url = URL(fileURLWithPath: path)
        var status = stat()
        let isThere = stat(url.path, &status) == 0
        let code = isThere ? 0 : errno
        switch status.st_mode & S_IFMT {
        case S_IFDIR where isThere: return "it is a folder"
        case S_IFREG where isThere: break
        case _ where isThere: return access(url.path, W_OK) == 0 ? nil : String(cString: strerror(errno))
        case _ where code != ENOENT: return String(cString: strerror(code))
        default:
            guard FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path) else {
                return "its folder does not exist"
            }
        }
        do throws(FileFailure) {
            try FileReplacement(path: url.resolvingSymlinksInPath().path).check()
            return nil
        } catch {
            return error.reason
        }
    }

    /// Replaces a regular file only when all bytes are written, and keeps its permissions; writes into a pipe or a device, and
    /// through a link.
    ///
    /// - Returns: where the bytes are now, for people.
    /// - Throws: the system's error.
    func write(_ data: Data) throws -> String {
        guard path != "-" else {
            Console.output.write(bytes: data)
            return "standard output"
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            try FileHandle(forWritingTo: URL(fileURLWithPath: path)).write(contentsOf: data)
        } else {
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let replacement =
                isThere ? FileReplacement(path: target, mode: status.st_mode & 0o777) : FileReplacement(path: target)
            try replacement.write(data)
        }
        return path
    }
}
