import TestSupport

/// Collects what the samples of this module print.
enum Printed {
    @TaskLocal private static var lines: Shared<[String]>?

    /// The lines that `body` prints.
    static func by(_ body: () async -> Void) async -> [String] {
        let lines = Shared<[String]>([])
        await $lines.withValue(lines) { await body() }
        return lines.current
    }

    fileprivate static func note(_ line: String) {
        if let lines { lines.change { $0.append(line) } } else { Swift.print(line) }
    }
}

/// Shadows the standard library's function in this module, so that a test sees the output of a sample.
func print(_ items: Any...) { Printed.note(items.map { "\($0)" }.joined(separator: " ")) }
