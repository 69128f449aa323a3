package import Foundation

/// A regular file that is read from its beginning.
///
/// The kit uses no `FileHandle`, because that links all of Foundation into a static binary: 47 MB.
package final class LocalFile {
    private let descriptor: Int32
    private let path: String
    /// Its bytes when it was opened.
    package let size: Int64
    /// When it was last changed, in nanoseconds since 1970, as the system said when it was opened.
    package let modified: Int64

    package init(reading path: String) throws(FileFailure) {
        // Without O_NONBLOCK, opening a pipe without a writer would block.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileFailure(path: path, code: errno) }
        self.path = path
        var status = stat()
        let isRead = fstat(descriptor, &status) == 0
        guard isRead, status.st_mode & S_IFMT == S_IFREG else {
            let code = isRead ? (status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ESPIPE) : errno
            close(descriptor)
            throw FileFailure(path: path, code: code)
        }
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Continues reading at an offset from the beginning.
    package func seek(to offset: Int64) throws(FileFailure) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw FileFailure(path: path, code: errno) }
    }

    deinit { close(descriptor) }

    /// The next bytes; empty at the end.
    package func read(upTo limit: Int) throws(FileFailure) -> Data {
        var data = Data(count: limit)
        let count = data.withUnsafeMutableBytes { bytes in Result { () throws(FileFailure) in try read(into: bytes) } }
        return data.prefix(try count.get())
    }

    /// Copies the next bytes; returns their number, 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
        while true {
            let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw FileFailure(path: path, code: errno) }
        }
    }

    package func readToEnd() throws(FileFailure) -> Data {
        var all = Data()
        while case let chunk = try read(upTo: 65_536), !chunk.isEmpty { all += chunk }
        return all
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// A file that is written beside and renamed, so that it is never half written and never written through an existing link.
package struct FileReplacement: Sendable {
    package let path: String
    package let mode: mode_t
    /// Where the bytes are until they are all written.
    private let draft: String
    private let isDraftFixed: Bool

    /// - Parameter draft: another path in the same folder, for a caller that replaces the file alone and often: a process that
    ///   is killed then leaves one draft at most. An earlier one there is removed. Default a new name for each value.
    package init(path: String, mode: mode_t = 0o644, draft: String? = nil) {
        (self.path, self.mode, isDraftFixed) = (path, mode, draft != nil)
        let suffix = ".\(UUID().uuidString)"
        self.draft = draft ?? path.leavingRoom(for: suffix.utf8.count, mark: "") + suffix
    }

    /// Finds out whether the file can be written, by making its draft and removing it.
    package func check() throws(FileFailure) {
        close(try create())
        unlink(draft)
    }

    private func create() throws(FileFailure) -> Int32 {
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileFailure(path: path, code: errno) }
        return descriptor
    }

    /// - Parameter data: everything that the file will hold. It is on the disk when this returns.
    package func write(_ data: Data) throws(FileFailure) {
        if isDraftFixed { unlink(draft) }
        let descriptor = try create()
        var code = data.writeAll(to: descriptor, at: 0)
        if code == 0, fsync(descriptor) != 0 { code = errno }
        if close(descriptor) != 0, code == 0 { code = errno }
        if code == 0, rename(draft, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(draft)
            throw FileFailure(path: path, code: code)
        }
    }
}

extension Data {
    /// Writes these bytes into a file, from an offset on. Returns the number of the system's error, 0 for none.
    package func writeAll(to descriptor: Int32, at offset: Int64) -> Int32 {
        withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                written += count
            }
            return 0
        }
    }
}

extension String {
    /// This path, if the file system takes a name with so many bytes more. Otherwise a path in the same folder, whose name is the
    /// beginning of this one and then the mark, which distinguishes two long names with the same beginning.
    package func leavingRoom(for room: Int, mark: @autoclosure () -> String) -> String {
        let start = utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8.index(after: $0) } ?? startIndex
        let (folder, name) = (String(self[..<start]), self[start...])
        let longest = min(
            systemLimit(Int32(_PC_NAME_MAX), folder, usually: 255),
            systemLimit(Int32(_PC_PATH_MAX), folder, usually: 1_024) - 1 - folder.utf8.count)
        guard name.utf8.count + room > longest else { return self }
        let mark = mark()
        var (kept, left) = (String.UnicodeScalarView(), longest - room - mark.utf8.count)
        for scalar in name.unicodeScalars {
            left -= UTF8.width(scalar)
            guard left >= 0 else { break }
            kept.append(scalar)
        }
        return folder + String(kept) + mark
    }
}

private func systemLimit(_ name: Int32, _ folder: String, usually: Int) -> Int {
    let limit = pathconf(folder.isEmpty ? "." : folder, name)
    return limit > 0 ? limit : usually
}

/// The system's error about a file.
package struct FileFailure: Error, Hashable, LocalizedError {
    package let path: String
    package let code: Int32

    package init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    /// The system's own words, such as `No such file or directory`.
    package var reason: String { String(cString: strerror(code)) }
    package var errorDescription: String? { "'\(path)': \(reason)" }
}

/// The URL of a body's file names no file of this machine. `URL.path` would ignore scheme and host, and so name another file.
package struct NotALocalFile: LocalizedError {
    /// Without the rest of the URL, which may hold a password.
    let scheme: String?

    package var errorDescription: String? {
        let found =
            scheme == "file" ? "one of another host" : scheme.map { "one of the scheme '\($0)'" } ?? "one without a scheme"
        return "expected a URL of a file of this machine, such as file:///tmp/a, got \(found)"
    }
}

extension URL {
    package func checkIsLocalFile() throws(NotALocalFile) {
        guard isFileURL, ["", "localhost"].contains(host ?? "") else { throw NotALocalFile(scheme: scheme) }
    }
}
