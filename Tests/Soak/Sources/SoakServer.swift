import CoreAPITesting
import Synchronization

/// Answers every scenario by its path. A server records every request. So it is replaced after some thousands of them, and the
/// next one takes its port.
struct SoakServer {
    private static let byName = Dictionary(uniqueKeysWithValues: Scenario.all.map { ($0.name, $0) })

    let server: LoopbackServer

    /// - Parameter port: 0 for any.
    init(port: UInt16) throws {
        // Calls that are repeated after one rejection.
        let rejected = Mutex(Set<String>())
        server = try LoopbackServer.start(port: port) { request in
            let name = request.path.split(separator: "/").first.map(String.init) ?? ""
            guard let scenario = Self.byName[name] else { return .status(500) }
            if scenario.needsRetries, rejected.withLock({ $0.insert(request.target).inserted }) { return .status(503) }
            return scenario.reply(request)
        }
    }
}
