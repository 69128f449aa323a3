import CoreAPI
import Foundation

/// Files to write into a package: all of them, or none.
struct NewFiles: Sendable {
    struct File: Sendable, Hashable {
        /// Below the root.
        let path: String
        let text: String
    }

    let root: URL
    let files: [File]

    /// - Throws: ``Rejection`` if a file exists, or if a folder cannot be made because a file has its name.
    func check() throws {
        for file in files {
            var path = ""
            for part in file.path.split(separator: "/") {
                path += path.isEmpty ? "\(part)" : "/\(part)"
                // Of a link, the link itself: a dangling one exists, too.
                let kind = try? FileManager.default.attributesOfItem(atPath: root.appendingPathComponent(path).path)[.type]
                guard let kind = kind as? FileAttributeType else { break }
                if path == file.path {
                    throw Rejection(
                        "\(path) exists already", do: "choose another name, or move the file away; nothing was written")
                }
                if kind == .typeRegular {
                    throw Rejection("\(path) is a file, not a folder", do: "move it away; nothing was written")
                }
            }
        }
    }

    /// Writes the files, and takes back what was written if one cannot be.
    ///
    /// - Throws: ``Rejection`` with the system's reason.
    func write() throws {
        var made: [URL] = []
        for file in files {
            let url = root.appendingPathComponent(file.path)
            do {
                try makeFolder(url.deletingLastPathComponent(), made: &made)
                try Data(file.text.utf8).write(to: url, options: .withoutOverwriting)
                made.append(url)
            } catch {
                for item in made.reversed() { try? FileManager.default.removeItem(at: item) }
                throw Rejection(
                    "cannot write \(file.path): \(error.systemReason)",
                    do: "mend that, and repeat the command; nothing was written")
            }
        }
    }

    private func makeFolder(_ folder: URL, made: inout [URL]) throws {
        guard !FileManager.default.fileExists(atPath: folder.path) else { return }
        try makeFolder(folder.deletingLastPathComponent(), made: &made)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        made.append(folder)
    }
}
