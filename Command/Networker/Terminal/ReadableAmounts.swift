import Foundation

extension Duration {
    /// Three digits and a unit, for people: `870 µs`, `1.2 ms`, `34.5 ms`, `120 ms`, `1.24 s`, `2 min 5 s`.
    package var readable: String {
        let seconds = self / .seconds(1)
        guard seconds >= 0 else { return "-" + (.zero - self).readable }
        // Each bound is the value at which rounding would reach the next unit.
        return switch seconds {
        case ..<0.000_999_5: String(format: "%.0f µs", seconds * 1e6)
        case ..<0.099_95: String(format: "%.1f ms", seconds * 1e3)
        case ..<0.999_5: String(format: "%.0f ms", seconds * 1e3)
        case ..<59.995: String(format: "%.2f s", seconds)
        default: "\(Int(seconds.rounded()) / 60) min \(Int(seconds.rounded()) % 60) s"
        }
    }

    /// For JSON: milliseconds, exact to the microsecond.
    package var milliseconds: Double {
        (self / .microseconds(1)).rounded() / 1_000
    }
}

extension Int64 {
    /// A number of bytes in powers of 1,000: `312 B`, `1.2 kB`, `34 kB`, `5.0 MB`.
    package var readableBytes: String {
        guard self >= 1_000 else { return "\(self) B" }
        var amount = Double(self)
        for unit in ["kB", "MB", "GB", "TB"] {
            amount /= 1_000
            if amount < 9.95 { return String(format: "%.1f %@", amount, unit) }
            if amount < 999.5 { return String(format: "%.0f %@", amount, unit) }
        }
        return String(format: "%.0f PB", amount / 1_000)
    }
}
