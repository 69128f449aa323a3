internal import CCurl
internal import CoreAPICore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The connections that libcurl keeps for a loop, so that one can be looked at before it is used again. libcurl does not tell the
/// socket of a connection that is about to be used, so sockets are noted when they are opened and found again by their two ends.
///
/// Used on the loop's thread only, so that access is not checked; outlives every connection.
final class LoopConnections {
    /// What `CURLOPT_PREREQFUNCTION` says of a connection.
    struct Ends {
        let remoteAddress: UnsafePointer<CChar>
        let ports: Ports
    }

    /// Of a connection's ends.
    struct Ports: Hashable {
        let remote, local: Int32

        // Tells almost all of them apart by itself.
        func hash(into hasher: inout Hasher) { hasher.combine(local) }
    }

    let library: CurlLibrary
    /// Where the loop waits for sockets; one that is closed must not stay there.
    private let sockets: PollSet?
    /// Opened, and not yet seen in a connection: attempts that are on their way, and those that lost the race of two addresses.
    private var unclaimed: Set<Int32> = []
    @exclusivity(unchecked) private var known: [Ports: [LoopConnection]] = [:]
    private var owners: [Int32: LoopConnection] = [:]
    @exclusivity(unchecked) private var discovered: [(transfer: CurlTransfer, multiplexes: Bool)] = []
    @exclusivity(unchecked) private var headed: [CurlTransfer] = []
    @exclusivity(unchecked) private var rested: [CurlTransfer] = []
    /// Those that were answered while their request was still on its way; see ``Defect/endlessUpload``.
    @exclusivity(unchecked) var early: [CurlTransfer] = []
    /// Whether the loop has other pools to serve.
    @exclusivity(unchecked) var isShared = false
    /// Counts the turns of the loop in which it calls libcurl.
    @exclusivity(unchecked) private(set) var turn: UInt = 0
    /// Whether a byte came or went in this turn.
    @exclusivity(unchecked) var hasMoved = false
    /// Whether an answer came over HTTP/2.
    private(set) var haveMultiplexed = false

    init(_ sockets: PollSet? = nil, _ library: CurlLibrary = .linked) {
        self.library = library
        self.sockets = sockets
    }

    /// The loop calls libcurl, for the first time in a turn.
    func beginTurn() {
        turn &+= 1
        hasMoved = false
    }

    /// Notes a new connection, and whose socket it is: one of those that were opened for the transfer that uses it first. Among
    /// those of all transfers it would be looked for in vain for seconds, where thousands connect at once.
    func claim(_ ends: Ends, of opened: [Int32]) -> LoopConnection {
        let socket = opened.first { unclaimed.contains($0) && Self.localPort(of: $0) == ends.ports.local }
        let connection = LoopConnection(ends, socket: socket, loop: self)
        guard let socket else { return connection }
        unclaimed.remove(socket)
        owners[socket] = connection
        known[ends.ports, default: []].append(connection)
        return connection
    }

    /// The connection between these ends; of one that was never claimed nothing is known.
    func connection(between ends: Ends) -> LoopConnection {
        known[ends.ports]?.first { $0.leads(to: ends.remoteAddress) } ?? LoopConnection(ends, socket: nil, loop: self)
    }

    /// Notes inside a callback, where nothing may be started, that a response said something new about what its host speaks.
    func note(_ transfer: CurlTransfer, multiplexes: Bool) {
        discovered.append((transfer, multiplexes))
        if multiplexes { haveMultiplexed = true }
    }

    /// What was noted since this was asked last.
    func takeDiscovered() -> [(transfer: CurlTransfer, multiplexes: Bool)] {
        guard !discovered.isEmpty else { return [] }
        defer { discovered = [] }
        return discovered
    }

    /// Bytes that one answer over HTTP/1.1 has of a turn, where other pools wait for theirs. libcurl reads up to a hundred
    /// buffers of 64 KiB from a socket that never runs dry.
    private static let burst = 256 * 1_024

    /// Whether an answer has had its part of the turn; it then goes on in the next.
    func mustRest(_ transfer: CurlTransfer, after count: Int) -> Bool {
        guard isShared, transfer.ticket?.multiplexes == false else { return false }
        if transfer.burstTurn != turn { (transfer.burstTurn, transfer.burst) = (turn, 0) }
        transfer.burst += count
        guard transfer.burst > Self.burst else { return false }
        transfer.burst = 0
        rested.append(transfer)
        return true
    }

    /// The transfers that rested since this was asked last.
    func takeRested() -> [CurlTransfer] {
        guard !rested.isEmpty else { return [] }
        defer { rested = [] }
        return rested
    }

    var hasRested: Bool { !rested.isEmpty }

    /// Notes inside a callback that the head of an answer is whole whose body is read as it comes.
    func noteHead(of transfer: CurlTransfer) { headed.append(transfer) }

    /// The transfers that were noted since this was asked last.
    func takeHeaded() -> [CurlTransfer] {
        guard !headed.isEmpty else { return [] }
        defer { headed = [] }
        return headed
    }

    private func forget(_ socket: Int32) {
        sockets?.forget(socket)
        unclaimed.remove(socket)
        guard let connection = owners.removeValue(forKey: socket) else { return }
        connection.close()
        let others = known[connection.ports]?.filter { $0 !== connection } ?? []
        known[connection.ports] = others.isEmpty ? nil : others
    }

    /// `CURLOPT_OPENSOCKETFUNCTION`: what libcurl would do itself, and closed on `exec`; and nothing for a peer that the channel
    /// refuses.
    static var open: curl_opensocket_callback {
        { context, _, address in
            guard let transfer = CurlTransfer.behind(context), let address else { return ccurl_bad_socket }
            guard !transfer.refuses(address) else { return ccurl_bad_socket }
            let descriptor = socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
            guard descriptor >= 0 else { return ccurl_bad_socket }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            transfer.handle?.connections.unclaimed.insert(descriptor)
            transfer.openedSockets.append(descriptor)
            return descriptor
        }
    }

    /// `CURLOPT_CLOSESOCKETFUNCTION`
    static var close: curl_closesocket_callback {
        { context, descriptor in
            if let context {
                Unmanaged<LoopConnections>.fromOpaque(context).takeUnretainedValue().forget(descriptor)
            }
            return systemClose(descriptor)
        }
    }

    private static func localPort(of descriptor: Int32) -> Int32? {
        // The port has the same offset in both families' addresses.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return result == 0 ? Int32(UInt16(bigEndian: address.sin6_port)) : nil
    }
}

extension CurlTransfer {
    /// Whether the channel makes no connection to the peer; noted, because libcurl goes on with the host's next address.
    fileprivate func refuses(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        let refused = request.limits.refusedAddresses
        guard !refused.isEmpty else { return false }
        let isRefused = withUnsafePointer(to: &address.pointee.addr) { !AddressClass(of: $0).isDisjoint(with: refused) }
        hasRefusedAddress = hasRefusedAddress || isRefused
        return isRefused
    }
}

/// Inside the type `close` is its own.
private func systemClose(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
