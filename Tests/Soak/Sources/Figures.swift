import Foundation

/// What the process holds, by Linux's own account.
struct Figures {
    let residentBytes: Int
    let descriptors: Int
    let threads: Int

    /// Gives back first what the allocator only keeps (`malloc_trim`): how much that is depends on the busiest moment so far, and
    /// would grow with the hours without anything being lost.
    init() {
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0) }
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
        residentBytes = (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        descriptors = Self.entries(of: "/proc/self/fd")
        threads = Self.entries(of: "/proc/self/task")
    }

    private static func entries(of folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    var text: String {
        String(format: "%9.1f %12d %8d", Double(residentBytes) / 1_048_576, descriptors, threads)
    }
}
