import Dispatch
import Foundation

/// Waits for Ctrl-C or a polite `kill`, so that what was begun can be ended.
///
/// From its making on the process no longer dies of these signals by itself. After the first one it does again, so that a second
/// Ctrl-C ends even an ending that hangs.
struct StopSignal {
    private static let numbers = [SIGINT, SIGTERM]

    private let arrivals: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init() {
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

    /// Returns when the first signal arrives.
    func wait() async {
        for await _ in arrivals { break }
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
