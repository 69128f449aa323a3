import Dispatch
import Foundation
import NetworkerCommand

/// Waits for SIGINT (Ctrl-C) or SIGTERM, so that the command can clean up.
///
/// While it exists, these signals do not kill the process. After the first one they do again. A second Ctrl-C kills the
/// process.
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
