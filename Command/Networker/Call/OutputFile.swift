import ArgumentParser
import CoreAPI
import CoreAPIBase
import Foundation

/// The file of `--output`; `-` is standard output.
struct OutputFile: Sendable, Hashable {
    let path: String

    /// Before anything is sent.
    ///
    /// - Throws: `ValidationError` if the folder does not exist, or the path is one.
    func check() throws {
        guard path != "-" else { return }
        let url = URL(fileURLWithPath: path)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue {
            throw ValidationError("cannot write the body to '\(path.escapingControls)': it is a folder")
        }
        guard FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path) else {
            throw ValidationError("cannot write the body to '\(path.escapingControls)': its folder does not exist")
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
