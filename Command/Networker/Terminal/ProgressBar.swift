package import CoreAPITransfers
import Foundation

/// Shows the progress of a transfer: one changing line on a terminal, and elsewhere a line for each tenth.
package struct ProgressBar {
    private let console: Console
    private let label: String
    private var shownTenth = 0
    private var lastShown: Duration = .seconds(-1)
    private var isLineOpen = false

    /// - Parameter label: the beginning of each line.
    init(_ console: Console, label: String = "") {
        self.console = console
        self.label = label
    }

    /// Shows a transfer from its first byte to its end.
    package static func show(_ transfer: some Transfer, on console: Console, label: String = "") async {
        var bar = ProgressBar(console, label: label)
        let started = ContinuousClock.now
        for await progress in transfer.progress where progress.completed > 0 {
            bar.show(progress, after: started.duration(to: .now))
        }
        bar.end()
    }

    /// - Parameter time: the time since the beginning.
    mutating func show(_ progress: TransferProgress, after time: Duration) {
        let isEnd = progress.completed == progress.total
        guard console.isTerminal else {
            let tenth = Int((progress.fraction ?? 0) * 10)
            guard tenth > shownTenth else { return }
            shownTenth = tenth
            return console.write(label + Self.line(progress, after: time))
        }
        // Some terminals need milliseconds for a line.
        guard isEnd || time - lastShown > .milliseconds(80) else { return }
        lastShown = time
        isLineOpen = true
        console.write(bytes: Data("\r\u{1B}[K\(label)\(Self.bar(progress, after: time))".utf8))
    }

    /// Ends the line.
    mutating func end() {
        if isLineOpen { console.write(bytes: Data("\n".utf8)) }
        isLineOpen = false
    }

    /// `40 %  2.0 MB of 5.0 MB  4.0 MB/s`; without a length `2.0 MB  4.0 MB/s`.
    static func line(_ progress: TransferProgress, after time: Duration) -> String {
        let speed = Int64(Double(progress.completed) / max(time / .seconds(1), 0.001))
        let done = progress.completed.readableBytes
        guard let total = progress.total, let fraction = progress.fraction else { return "\(done)  \(speed.readableBytes)/s" }
        return "\(Int(fraction * 100)) %  \(done) of \(total.readableBytes)  \(speed.readableBytes)/s"
    }

    /// The line after a bar of 24 characters.
    static func bar(_ progress: TransferProgress, after time: Duration) -> String {
        guard let fraction = progress.fraction else { return line(progress, after: time) }
        let full = Int(fraction * 24)
        return String(repeating: "█", count: full) + String(repeating: "░", count: 24 - full) + "  " + line(progress, after: time)
    }
}
