import Foundation

/// The process's resources, from Linux's own counts.
struct Figures {
    /// Memory that was allocated and not freed.
    let heldBytes: Int
    let residentBytes: Int
    let descriptors: Int
    let threads: Int

    /// Returns the allocator's free memory first (`malloc_trim`), because its amount depends on the busiest moment so far.
    /// Pages with some used bytes stay resident. Every thread that allocates adds more of them, until all of its arenas are in
    /// use.
    init() {
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0) }
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
        residentBytes = (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        heldBytes = Self.held() ?? residentBytes
        descriptors = Self.entries(of: "/proc/self/fd")
        threads = Self.entries(of: "/proc/self/task")
    }

    /// From the allocator's own count of all its arenas (`malloc_info`); `nil` if there is none.
    private static func held() -> Int? {
        guard let symbol = dlsym(nil, "malloc_info"), let file = tmpfile() else { return nil }
        defer { fclose(file) }
        typealias Info = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32
        guard unsafeBitCast(symbol, to: Info.self)(0, file) == 0 else { return nil }
        rewind(file)
        var buffer = [CChar](repeating: 0, count: 4_096)
        var sizes: [String: Int] = [:]
        // The sums over all arenas come last.
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let match = line.firstMatch(of: /<(?:total|system) type="(\w+)".* size="(\d+)"/) else { continue }
            sizes[String(match.1)] = Int(match.2)
        }
        guard let current = sizes["current"], let free = sizes["rest"] else { return nil }
        return current + (sizes["mmap"] ?? 0) - free - (sizes["fast"] ?? 0)
    }

    private static func entries(of folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    var text: String {
        String(
            format: "%9.1f %12.1f %12d %8d", Double(heldBytes) / 1_048_576, Double(residentBytes) / 1_048_576, descriptors,
            threads)
    }
}
