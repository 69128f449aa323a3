internal import Foundation

public enum Memory {
    /// The resident bytes of the process; 0 on a system without `/proc`.
    public static var resident: Int {
        let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard let pages, pages.count > 1 else { return 0 }
        return (Int(pages[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Whether ``resident`` shows the growth of the process. A sanitizer keeps freed memory.
    public static var isMeasurable: Bool { resident > 0 && !Sanitizer.isOn }
}

/// How far the resident bytes of the process rise above the first look.
public struct Growth {
    private let before = Memory.resident
    private var peak = 0
    private var seen: Int64 = 0

    public init() {}

    public var bytes: Int { max(0, peak - before) }

    /// - Parameter count: bytes that were moved; a look is taken every 4 MiB.
    public mutating func look(after count: Int64) {
        guard count >> 22 != seen >> 22 else { return }
        seen = count
        peak = max(peak, Memory.resident)
    }
}

public enum Sanitizer {
    public static var isOn: Bool { dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil }
}
