public import CoreAPI

/// Swaps a channel for the time of a test: every networker of that channel that is made inside the closure speaks through what is
/// given here. Nothing in the feature changes; tests that run at the same time do not see each other, because the swap belongs to
/// the task (and its child tasks) and not to the process.
///
/// ```swift
/// try await withChannel(.dl, transport: .fixtures("orders-empty")) {
///     let orders = try await DLOrderListInteractor().orderList(path: "page=1")
/// }
/// ```
///
/// - Parameters:
///   - channel: the channel to swap; the one inside is simulated, so that it needs no credentials, and shares no token,
///     connection or other state with this one.
///   - transport: what answers.
///   - change: further changes to the channel: another environment, a logger to look at.
/// - Throws: what the operation throws.
public func withChannel<Result>(
    _ channel: Channel, transport: any Transport, change: (inout Channel) -> Void = { _ in },
    operation: () async throws -> Result
) async rethrows -> Result {
    var swapped = channel.isolated(transport: transport)
    swapped.environment.isSimulated = true
    change(&swapped)
    return try await ChannelOverride.with(swapped, operation: operation)
}

/// Swaps a channel for the time of a test, so that it speaks to a server of the test's own, over real sockets and through
/// everything that the channel is made of.
///
/// ```swift
/// let server = try LoopbackServer.start(tls: ServerTLS(), faults: [Fault(.inResponseBody, .reset)]) { _ in .json(orders) }
/// try await withChannel(.dl, server: server) {
///     let orders = try await DLOrderListInteractor().orderList(path: "page=1")
/// }
/// ```
///
/// - Parameters:
///   - channel: the channel to swap; as in ``withChannel(_:transport:change:operation:)``.
///   - server: takes the place of the channel's base URL. The channel keeps its path and its client certificate, and trusts the
///     authority of ``ServerTLS/authorityPEM`` and no other. Its pins are for its own hosts and none for the server's
///     (`localhost`); a test of pins sets them in `change`. So does one that looks into a cookie jar: the channel inside has an
///     empty one of its own.
///   - change: further changes to the channel.
/// - Throws: what the operation throws.
public func withChannel<Result>(
    _ channel: Channel, server: LoopbackServer, change: (inout Channel) -> Void = { _ in }, operation: () async throws -> Result
) async rethrows -> Result {
    let transport = CurlTransport()
    let swapped = { (channel: inout Channel) in
        channel.environmentSwitch = nil
        let path = (try? HTTPURL(channel.environment.baseURL))?.path ?? "/"
        channel.environment.baseURL = server.url + (path == "/" ? "" : path)
        // The server is none of the hosts that the channel's pins name.
        channel.environment.serverTrustManager.pins.refusesOtherHosts = false
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
