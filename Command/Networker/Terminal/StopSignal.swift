import Dispatch
import Foundation

/// Waits for SIGINT (Ctrl-C) or SIGTERM, so that the command can clean up.
///
/// While it exists, these signals do not kill the process. After the first one they do again. A second Ctrl-C kills the
/// process.
package struct StopSignal {
    private static let numbers = [SIGINT, SIGTERM]

    private let arrivals: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    package init() {
        let (arrivals, announce) = AsyncStream<Int32>.makeStream()
        self.arrivals = arrivals
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { announce.yield(number) }
            source.resume()
            return source
        }
    }

    /// Waits for the first signal, or for the cancellation of the task.
    ///
    /// - Returns: the signal; `nil` after a cancellation.
    @discardableResult
    package func wait() async -> Int32? {
        var first: Int32?
        for await number in arrivals {
            first = number
            break
        }
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
        return first
    }
}
