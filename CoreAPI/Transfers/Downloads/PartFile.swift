internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// The unfinished file beside its target, locked while it is open. Several tasks write at any offset.
final class PartFile: Sendable {
    private let target: String
    private let path: String
    private let descriptor: Int32
    private let isOpen = Mutex(true)
    /// The sidecar as this part last read or wrote it.
    private let ownSidecar = Mutex<Data?>(nil)
    private var sidecarPath: String { "\(path).json" }

    /// `TARGET.part`; a name that is too long for its sidecar is shortened.
    static func path(beside target: String) -> String {
        let name = target.utf8.split(separator: UInt8(ascii: "/")).last ?? target.utf8[...]
        return target.leavingRoom(for: ".part.json.new".utf8.count, mark: "~\(SHA256.hash(name).prefix(8).hexadecimal)") + ".part"
    }

    /// Opens or makes the part. A link, a file of another user and a file with a second name are removed first.
    init(beside file: URL) throws(DownloadError) {
        target = file.path
        do {
            try file.checkIsLocalFile()
        } catch {
            throw .cannotWrite(path: target, code: EINVAL, reason: error.readableDescription)
        }
        path = Self.path(beside: target)
        try Self.check(target)
        descriptor = try Self.open(path)
        // A download writes its sidecar before its first byte, and removes it after the last one.
        var status = stat()
        guard size == 0 || lstat(sidecarPath, &status) == 0 else {
            close()
            let reason = "the file is no part of an earlier download; move it, or download to another name"
            throw .cannotWrite(path: path, code: EEXIST, reason: reason)
        }
    }

    deinit { close() }

    /// Rejects a target that a file cannot replace, or that the file system cannot name.
    private static func check(_ target: String) throws(DownloadError) {
        var status = stat()
        guard stat(target, &status) == 0 else {
            guard errno != ENAMETOOLONG else { throw .system(target) }
            return
        }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else { throw .system(target, kind == S_IFDIR ? EISDIR : ESPIPE) }
    }

    private static func open(_ path: String) throws(DownloadError) -> Int32 {
        for _ in 0..<8 {
            // Without O_NONBLOCK, opening a pipe without a writer would block.
            let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o644)
            guard descriptor >= 0 else {
                guard errno == ELOOP, unlink(path) == 0 else { throw .system(path) }
                continue
            }
            var isOurs = false
            defer { if !isOurs { release(descriptor) } }
            isOurs = try lock(descriptor, path)
            if isOurs { return descriptor }
        }
        throw .busy(path: path)
    }

    /// Locks the file, unless the path now names another one.
    private static func lock(_ descriptor: Int32, _ path: String) throws(DownloadError) -> Bool {
        var (status, found) = (stat(), stat())
        guard fstat(descriptor, &status) == 0 else { throw .system(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .system(path, ESPIPE) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw errno == EWOULDBLOCK ? .busy(path: path) : .system(path) }
        // Before the lock another download may have renamed or removed the file.
        guard lstat(path, &found) == 0, found.isSameFile(as: status) else { return false }
        guard fstat(descriptor, &status) == 0, status.st_nlink == 1, status.st_uid == geteuid() else {
            guard unlink(path) == 0 else { throw .system(path) }
            return false
        }
        return true
    }

    var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    func write(_ data: Data, at offset: Int64) throws(DownloadError) {
        let code = data.writeAll(to: descriptor, at: offset)
        if code != 0 { throw .system(path, code) }
    }

    /// The digests of a range, read in pieces.
    func digests(_ algorithms: Set<ContentDigest.Algorithm>, of range: Range<Int64>) async throws -> [ContentDigest] {
        guard !algorithms.isEmpty else { return [] }
        var (sha256, sha512) = (SHA256(), SHA512())
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var offset = range.lowerBound
        while offset < range.upperBound {
            try Task.checkCancellation()
            let wanted = Int(min(Int64(buffer.count), range.upperBound - offset))
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted, off_t(offset)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DownloadError.system(path, count < 0 ? errno : EIO) }
            buffer.withUnsafeBytes { bytes in
                let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                if algorithms.contains(.sha256) { sha256.update(piece) }
                if algorithms.contains(.sha512) { sha512.update(piece) }
            }
            offset += Int64(count)
            await Task.yield()
        }
        let all = [(ContentDigest.Algorithm.sha256, sha256.finish()), (.sha512, sha512.finish())]
        return all.compactMap { algorithm, bytes in algorithms.contains(algorithm) ? ContentDigest(algorithm, bytes) : nil }
    }

    func truncate(to size: Int64) throws(DownloadError) {
        while ftruncate(descriptor, off_t(size)) != 0 { guard errno == EINTR else { throw .system(path) } }
    }

    /// The sidecar of an earlier download; `nil` if it is missing, invalid, or does not belong to this part.
    func readSidecar() -> Sidecar? {
        guard let bytes = sidecarBytes(), let sidecar = Sidecar(json: bytes), sidecar.segments.reach <= size,
            (try? seal(of: sidecar)) == sidecar.seal
        else { return nil }
        ownSidecar.withLock { $0 = bytes }
        return sidecar
    }

    private func sidecarBytes() -> Data? {
        let descriptor = systemOpen(sidecarPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        defer { _ = systemClose(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size <= Sidecar.longest
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count == bytes.count ? Data(bytes) : nil
    }

    /// The value of ``Sidecar/seal`` for the bytes on the disk. With several segments a part that is long enough may have a hole
    /// where the sidecar claims bytes.
    func seal(of sidecar: Sidecar) throws -> String {
        var (bare, hash) = (sidecar, SHA256())
        bare.seal = ""
        hash.update(bare.json ?? Data())
        for segment in sidecar.segments {
            let start = max(segment.start, segment.done - 16_384)
            var tail = Data(count: Int(segment.done - start))
            let count = tail.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
            guard count == tail.count else { throw DownloadError.system(path, count < 0 ? errno : EIO) }
            hash.update(tail)
        }
        return hash.finish().hexadecimal
    }

    /// Flushes the bytes to the disk, then writes the sidecar.
    func save(_ sidecar: Sidecar) throws {
        var sidecar = sidecar
        sidecar.seal = try seal(of: sidecar)
        guard let json = sidecar.json else { return }
        guard fsync(descriptor) == 0 else { throw DownloadError.system(path) }
        try writeSidecar(json)
    }

    /// Marks the part as a download's, although no later one can continue it. Without the mark a part that a killed process
    /// leaves behind would be taken for another program's file.
    func mark() { try? writeSidecar(Data("{}".utf8)) }

    private func writeSidecar(_ json: Data) throws {
        try FileReplacement(path: sidecarPath, mode: 0o600, draft: "\(sidecarPath).new").write(json)
        ownSidecar.withLock { $0 = json }
    }

    func removeSidecar() {
        // An empty folder in its way would keep every later download from being continued.
        for path in [sidecarPath, "\(sidecarPath).new"] where unlink(path) != 0 { rmdir(path) }
    }

    /// Renames the part to its target. It takes over the permissions of the replaced file.
    func commit(length: Int64) throws(DownloadError) {
        try Self.check(target)
        try truncate(to: length)
        var status = stat()
        if stat(target, &status) == 0 { fchmod(descriptor, status.st_mode & 0o777) }
        guard fsync(descriptor) == 0 else { throw .system(path) }
        try checkIsThere()
        guard rename(path, target) == 0 else { throw .system(target) }
        // Last, because a part without a sidecar is not the kit's. Another download may have begun by now.
        if ownSidecar.withLock({ $0 }) == sidecarBytes() { removeSidecar() }
        close()
    }

    /// - Throws: ``DownloadError`` if another process has removed or replaced the part, whose bytes were not verified then.
    func checkIsThere() throws(DownloadError) {
        var (ours, found) = (stat(), stat())
        guard fstat(descriptor, &ours) == 0, lstat(path, &found) == 0 else { throw .system(path) }
        guard found.isSameFile(as: ours) else {
            throw .cannotWrite(path: path, code: ESTALE, reason: "another process has replaced the file")
        }
    }

    /// Removes the part and its sidecar. Of a part that another process has replaced, the sidecar may be that process's.
    func discard() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            let isThere = (try? checkIsThere()) != nil
            let own = ownSidecar.withLock { $0 }
            // Empty first, because a part without a sidecar is not the kit's; the part last, because another download may begin
            // once it is gone.
            if isThere { try? truncate(to: 0) }
            if isThere || own != nil && own == sidecarBytes() { removeSidecar() }
            if isThere { unlink(path) }
        }
        close()
    }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Self.release(descriptor) }
            isOpen = false
        }
    }

    /// Unlocks explicitly: closing does not unlock while a forked child, which has yet to run its program, holds a copy.
    private static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        _ = systemClose(descriptor)
    }
}

extension DownloadError {
    fileprivate static func system(_ path: String, _ code: Int32 = errno) -> DownloadError {
        .cannotWrite(path: path, code: code, reason: FileFailure(path: path, code: code).reason)
    }
}

extension stat {
    fileprivate func isSameFile(as other: stat) -> Bool { st_ino == other.st_ino && st_dev == other.st_dev }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
