import Foundation

/// A description of the machine that does not identify it.
struct Machine: Codable, Equatable {
    let processor: String
    let cores: Int
    /// GiB.
    let memory: Int
    let system: String
    /// Versions of the measured software and of the tools.
    let software: String

    static func this(software: String) -> Machine {
        Machine(
            processor: field("model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown processor",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memory: Int((Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824).rounded()),
            system: field("PRETTY_NAME", in: "/etc/os-release", separator: "=")
                ?? ProcessInfo.processInfo.operatingSystemVersionString,
            software: software)
    }

    private static func field(_ name: String, in file: String, separator: Character) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let position = line.firstIndex(of: separator)
        else { return nil }
        return line[line.index(after: position)...].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
}
