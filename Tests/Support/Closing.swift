public import CoreAPI
public import CoreAPICurl
public import CoreAPITesting
public import Foundation
public import Testing

/// Closes what a test has opened when the test ends, the last one first: servers, channels, loops and files.
public struct Closing: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let opened = Opened()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await Opened.$current.withValue(opened, operation: function))
        } catch { outcome = .failure(error) }
        await opened.close()
        try outcome.get()
    }
}

extension Trait where Self == Closing {
    public static var closing: Closing { Closing() }
}

/// What a test has opened.
final class Opened: Sendable {
    @TaskLocal static var current: Opened?

    private let actions = Mutex<[@Sendable () async -> Void]>([])

    func atEnd(_ action: @escaping @Sendable () async -> Void) { actions.withLock { $0.append(action) } }

    func close() async { for action in actions.withLock({ $0 }).reversed() { await action() } }
}

/// Runs an action when the test has ended, whatever its outcome. The suite needs the trait `.closing`.
public func atEnd(
    sourceLocation: SourceLocation = #_sourceLocation, _ action: @escaping @Sendable () async -> Void
) {
    guard let opened = Opened.current else {
        Issue.record("the suite lacks the trait .closing", sourceLocation: sourceLocation)
        return
    }
    opened.atEnd(action)
}

/// A transport that is closed when the test has ended.
public func closing<Kind: Transport>(_ transport: Kind, sourceLocation: SourceLocation = #_sourceLocation) -> Kind {
    atEnd(sourceLocation: sourceLocation) { await transport.close() }
    return transport
}

/// A channel that is closed when the test has ended.
public func closing(_ channel: Channel, sourceLocation: SourceLocation = #_sourceLocation) -> Channel {
    _ = closing(channel.transport, sourceLocation: sourceLocation)
    return channel
}

/// Loops that end when the test has ended.
public func closing(_ loops: LoopGroup, sourceLocation: SourceLocation = #_sourceLocation) -> LoopGroup {
    atEnd(sourceLocation: sourceLocation) { await loops.shutdown() }
    return loops
}

/// A server that is closed when the test has ended.
public func closing(_ server: LoopbackServer, sourceLocation: SourceLocation = #_sourceLocation) -> LoopbackServer {
    atEnd(sourceLocation: sourceLocation) { server.close() }
    return server
}

extension LoopbackServer {
    /// Starts a server, as `start` does. It is closed when the test has ended.
    public static func test(
        on address: LoopbackAddress = .ipv4, tls: ServerTLS? = nil, faults: FaultPlan = .none, onConnect: ServerReply = [],
        port: UInt16 = 0, answersEarly: Bool = false, bodyLimit: Int = .max, keepsRequests: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation, _ handler: @escaping @Sendable (ReceivedRequest) -> ServerReply
    ) throws -> LoopbackServer {
        try closing(
            .start(
                on: address, tls: tls, faults: faults, onConnect: onConnect, port: port, answersEarly: answersEarly,
                bodyLimit: bodyLimit, keepsRequests: keepsRequests, handler),
            sourceLocation: sourceLocation)
    }

    /// Starts a server that plays one reply after another. It is closed when the test has ended.
    public static func test(
        script: [ServerReply], tls: ServerTLS? = nil, faults: FaultPlan = .none, onConnect: ServerReply = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> LoopbackServer {
        try closing(.start(script: script, tls: tls, faults: faults, onConnect: onConnect), sourceLocation: sourceLocation)
    }
}

/// A new name in the folder for temporary files. What is there when the test has ended is removed.
///
/// - Parameter name: the end of the path.
public func temporaryFile(_ name: String = "file", sourceLocation: SourceLocation = #_sourceLocation) -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("test-\(UUID().uuidString)-\(name)")
    atEnd(sourceLocation: sourceLocation) { try? FileManager.default.removeItem(at: url) }
    return url
}

/// A new folder, which is removed when the test has ended.
public func temporaryFolder(_ name: String = "folder", sourceLocation: SourceLocation = #_sourceLocation) throws -> URL {
    let url = temporaryFile(name, sourceLocation: sourceLocation)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
}
