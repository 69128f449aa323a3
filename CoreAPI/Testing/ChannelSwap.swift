public import CoreAPI

/// Replaces a channel's transport for a test: every networker of that channel that is made inside the closure uses it. Nothing in
/// the feature changes. The swap belongs to the task and its child tasks, so parallel tests do not see each other.
///
/// ```swift
/// try await withChannel(.dl, transport: .fixtures("orders-empty")) {
///     let orders = try await DLOrderListInteractor().orderList(page: 1)
///     #expect(orders.orders.isEmpty)
/// }
/// ```
///
/// The channel inside is simulated, so that it needs no credentials, and shares no token, connection or other state.
///
/// `change` makes further changes to the channel, such as another environment or a logger.
///
/// - Throws: the operation's own errors.
public func withChannel<Result>(
    _ channel: Channel, transport: any Transport, change: (inout Channel) -> Void = { _ in },
    operation: () async throws -> Result
) async rethrows -> Result {
    var swapped = channel.isolated(transport: transport)
    swapped.environment.isSimulated = true
    change(&swapped)
    return try await ChannelOverride.with(swapped, operation: operation)
}

/// Replaces a channel's host with a test's server, for a test over real sockets and through all parts of the channel.
///
/// ```swift
/// let server = try LoopbackServer.start(tls: ServerTLS(), faults: [Fault(.inResponseBody, .reset)]) { _ in .json(text) }
/// try await withChannel(.dl, server: server) {
///     let orders = try await DLOrderListInteractor().orderList(page: 1)
///     #expect(orders.page == 1)
/// }
/// ```
///
/// As in ``withChannel(_:transport:change:operation:)``, the channel inside shares no state; it has its own empty cookie jar. It
/// keeps its path and its client certificate, and trusts only the authority of ``ServerTLS/authorityPEM``. Its pins are for its
/// own hosts, so none apply to the server (`localhost`). A test of cookies or pins sets them in `change`.
///
/// - Throws: the operation's own errors.
public func withChannel<Result>(
    _ channel: Channel, server: LoopbackServer, change: (inout Channel) -> Void = { _ in }, operation: () async throws -> Result
) async rethrows -> Result {
    let transport = PlatformTransport()
    let swapped = { (channel: inout Channel) in
        channel.environmentSwitch = nil
        let path = (try? HTTPURL(channel.environment.baseURL))?.path ?? "/"
        channel.environment.baseURL = server.url + (path == "/" ? "" : path)
        // The channel's pins do not name the server's host.
        channel.environment.serverTrustManager.pins.rejectsOtherHosts = false
        if let tls = server.tls { channel.environment.serverTrustManager.authorities = .pem(tls.authorityPEM) }
        channel.environment.allowsInsecureConnections = server.tls == nil
        change(&channel)
    }
    do {
        let result = try await withChannel(channel, transport: transport, change: swapped, operation: operation)
        await transport.close()
        return result
    } catch {
        await transport.close()
        throw error
    }
}
