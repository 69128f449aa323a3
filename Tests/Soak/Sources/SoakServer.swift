import CoreAPITesting
import Synchronization

/// Answers every scenario by its path. A server keeps every request that it read; so one lives for some thousands of them only,
/// and the next takes its port.
struct SoakServer {
    private static let byName = Dictionary(uniqueKeysWithValues: Scenario.all.map { ($0.name, $0) })

    let server: LoopbackServer

    /// - Parameter port: 0 for any.
    init(port: UInt16) throws {
        // Which calls to repeat have been refused once.
        let refused = Mutex(Set<String>())
        server = try LoopbackServer.start(port: port) { request in
            let name = request.path.split(separator: "/").first.map(String.init) ?? ""
            guard let scenario = Self.byName[name] else { return .status(500) }
            if scenario.needsRetries, refused.withLock({ $0.insert(request.target).inserted }) { return .status(503) }
            return scenario.reply(request)
        }
    }
}
