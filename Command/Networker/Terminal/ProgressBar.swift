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
    ///
    /// - Parameters:
    ///   - isContinued: whether the transfer has bytes of an earlier one.
    ///   - anew: a line to write if the transfer begins again without the bytes that it had.
    package static func show(
        _ transfer: some Transfer, on console: Console, label: String = "", isContinued: Bool = false, anew: String? = nil
    ) async {
        var bar = ProgressBar(console, label: label)
        var restarts = isContinued ? -1 : 0
        let started = ContinuousClock.now
        // Bytes from before are not progress, and may be of no use to the server.
        for await progress in transfer.progress where progress.completed > progress.reused {
            if progress.reused == 0, progress.restarts > restarts, let anew { bar.beginAgain(anew) }
            restarts = progress.restarts
            bar.show(progress, after: started.duration(to: .now))
        }
        bar.end()
    }

    private mutating func beginAgain(_ text: String) {
        end()
        shownTenth = 0
        console.write(text)
    }

    /// - Parameter time: the time since the beginning.
    mutating func show(_ progress: TransferProgress, after time: Duration) {
        let isEnd = progress.completed == progress.total
        guard console.isTerminal else {
            let tenth = Int((progress.fraction ?? 0) * 10)
            guard tenth > shownTenth else { return }
            shownTenth = tenth
            console.write(label + Self.line(progress, after: time))
            return
        }
        // Some terminals need milliseconds for a line.
        guard isEnd || time - lastShown > .milliseconds(80) else { return }
        lastShown = time
        isLineOpen = true
        let columns = console.columns
        let text = label + Self.bar(progress, after: time, columns: columns.map { $0 - label.count })
        // A longer line would leave its first row behind at each update. Some terminals wrap after the last column.
        let shown = columns.map { text.prefix($0 - 1) } ?? text[...]
        console.write(bytes: Data("\r\u{1B}[K\(shown)".utf8))
    }

    /// Ends the line.
    mutating func end() {
        if isLineOpen { console.write(bytes: Data("\n".utf8)) }
        isLineOpen = false
    }

    /// `40 %  2.0 MB of 5.0 MB  4.0 MB/s`; without a length `2.0 MB  4.0 MB/s`.
    static func line(_ progress: TransferProgress, after time: Duration) -> String {
        let speed = Int64(Double(progress.completed - progress.reused) / max(time / .seconds(1), 0.001))
        let done = progress.completed.readableBytes
        guard let total = progress.total, let fraction = progress.fraction else { return "\(done)  \(speed.readableBytes)/s" }
        return "\(Int(fraction * 100)) %  \(done) of \(total.readableBytes)  \(speed.readableBytes)/s"
    }

    /// The line after a bar of at most 24 characters.
    ///
    /// - Parameter columns: the room for both; `nil` for enough. With room for less than four characters there is no bar.
    static func bar(_ progress: TransferProgress, after time: Duration, columns: Int? = nil) -> String {
        let line = line(progress, after: time)
        let width = min(24, columns.map { $0 - line.count - 3 } ?? 24)
        guard let fraction = progress.fraction, width >= 4 else { return line }
        let full = Int(fraction * Double(width))
        return String(repeating: "█", count: full) + String(repeating: "░", count: width - full) + "  " + line
    }
}
