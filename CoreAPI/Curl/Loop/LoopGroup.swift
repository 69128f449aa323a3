internal import Foundation
internal import Synchronization

/// Threads that run libcurl, for any number of transports.
///
/// A channel's connections belong to its transport, and the threads to the process. So a request costs the same whether one
/// channel sends it or ten do. No channel sees another's connections, and each turn of a thread serves every channel with work.
///
/// A thread starts with the first request that needs it, and ends a second after the last of its transports was closed or
/// released. A process may exit at any time.
///
/// ```swift
/// let loops = LoopGroup(loops: 2)
/// let transport = CurlTransport(loops: loops)
/// // the requests of channels with this transport
/// await transport.close()
/// await loops.shutdown()
/// ```
public final class LoopGroup: Sendable {
    /// The default group: one thread for two processor cores, rounded up, at most four. The other cores process the responses.
    public static let shared = LoopGroup(loops: size(cores: ProcessInfo.processInfo.activeProcessorCount))

    /// The threads of ``shared`` on a machine with that many cores.
    static func size(cores: Int) -> Int { min(4, (cores + 1) / 2) }

    let loops: [Loop]
    private let next = Atomic(0)

    /// Makes a group. Starts no thread yet.
    ///
    /// - Parameter loops: the largest number of threads; at least one.
    public convenience init(loops: Int) {
        self.init(loops: loops, idleLifetime: .seconds(1))
    }

    /// - Parameter idleLifetime: how long a thread stays alive without a transport.
    init(loops: Int, idleLifetime: Duration) {
        self.loops = (0..<max(1, loops)).map { _ in Loop(idleLifetime: idleLifetime) }
    }

    /// Ends the threads and waits for their end. Exchanges on them, and every later request, fail with ``TransportError/closed``.
    ///
    /// Has no effect on ``shared``, which other code uses.
    public func shutdown() async {
        guard self !== Self.shared else { return }
        for loop in loops { await loop.shutdown() }
    }

    /// The loops for a new pool. The first is its home, and differs from pool to pool in turn.
    func loopsForNewPool() -> [Loop] {
        let home = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops.indices.map { loops[(home &+ $0) % loops.count] }
    }

    /// The number of running threads, for tests.
    package var threads: Int { loops.count { $0.isRunning } }
}
