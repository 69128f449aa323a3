import ArgumentParser
import CoreAPI
import CoreAPIBase
import Foundation

/// The file of `--output`; `-` is standard output.
struct OutputFile: Sendable, Hashable {
    let path: String

    /// Replaces a regular file only when all bytes are written; writes into a pipe or a device.
    ///
    /// - Returns: where the bytes are now, for people.
    /// - Throws: `ValidationError` with the system's reason.
    func write(_ data: Data) throws -> String {
        guard path != "-" else {
            Console.output.write(bytes: data)
            return "standard output"
        }
        do {
            let url = URL(fileURLWithPath: path)
            let type = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[.type]
            if let type = type as? FileAttributeType, type != .typeRegular, type != .typeDirectory {
                try FileHandle(forWritingTo: url).write(contentsOf: data)
            } else {
                try FileReplacement(path: path).write(data)
            }
            return path
        } catch {
            throw ValidationError("cannot write the body to '\(path.escapingControls)': \(error.systemReason)")
        }
    }
}
