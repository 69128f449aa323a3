public import CoreAPI
internal import CoreAPICurl
public import CoreAPITesting
internal import Foundation

/// What the process holds.
public struct Census: Sendable {
    /// Those of the kit's loops.
    public var threads: Int
    public var descriptors: Int
    /// Those of all libraries.
    public var allThreads = 0

    public init(threads: Int, descriptors: Int) { (self.threads, self.descriptors) = (threads, descriptors) }

    public static func now() throws -> Census {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let names = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
        var census = Census(
            threads: names.count { $0 == "NetworkerKit\n" },
            descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count)
        census.allThreads = tasks.count
        return census
    }

    /// The server's side needs a moment to close, and a shared loop stays for a second.
    public static func settled(atMost aim: Census) async throws -> Census {
        for _ in 0..<200 {
            let census = try now()
            if census.threads <= aim.threads, census.descriptors <= aim.descriptors { return census }
            try await Task.sleep(for: .milliseconds(25))
        }
        return try now()
    }

    /// Whether nothing was left behind since an earlier census.
    public func isNoMore(than before: Census) -> Bool {
        // Threads of the cooperative pool and of servers come and go; one for each of sixty calls would stay.
        threads <= before.threads && descriptors <= before.descriptors && allThreads < before.allThreads + 20
    }
}

extension CurlTransport {
    /// Closes the transport's channels, and waits for the end of its transfers and of the servers' connections.
    ///
    /// - Returns: what is left; `nil` if nothing is.
    public func leftovers(closing channels: [Channel], _ servers: [LoopbackServer] = []) async throws -> String? {
        // A cancelled task may end before the loop has forgotten its transfer.
        for _ in 0..<500 where activeExchanges > 0 { try await Task.sleep(for: .milliseconds(10)) }
        guard activeExchanges == 0 else { return "\(activeExchanges) transfers" }
        for channel in channels { await channel.close() }
        guard !isRunning else { return "a connection" }
        for server in servers { try await server.waitForOpenConnections(atMost: 0) }
        return nil
    }
}
