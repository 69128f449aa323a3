internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// The connections of one multi handle, so that each can be checked before it is used again; and what libcurl's callbacks, in
/// which no exchange may be started or ended, note for the end of the turn. Used on the loop's thread only.
///
/// libcurl does not reveal the socket of a connection before use. So sockets are noted when they are opened and found again by
/// their two ends. Outlives every connection.
final class LoopConnections {
    /// The data of `CURLOPT_PREREQFUNCTION` about a connection.
    struct Ends {
        let remoteAddress: UnsafePointer<CChar>
        let ports: Ports
    }

    /// The ports of a connection's ends.
    struct Ports: Hashable {
        let remote, local: Int32

        // Distinguishes almost all connections by itself.
        func hash(into hasher: inout Hasher) { hasher.combine(local) }
    }

    let library: CurlLibrary
    /// The loop's set of sockets; a closed socket must leave it.
    private let sockets: PollSet?
    /// Opened sockets not yet seen in a connection: attempts in progress, and losers of a race of two addresses.
    @exclusivity(unchecked) private var unclaimed: Set<Int32> = []
    @exclusivity(unchecked) private var known: [Ports: [LoopConnection]] = [:]
    @exclusivity(unchecked) private var owners: [Int32: LoopConnection] = [:]
    /// Exchanges whose responses revealed the protocol of their hosts.
    @exclusivity(unchecked) var discovered: [(exchange: Exchange, multiplexes: Bool)] = []
    /// Exchanges whose heads the loop must hear of: of streamed responses and of redirects.
    @exclusivity(unchecked) var withHead: [Exchange] = []
    @exclusivity(unchecked) private var withChunks: [CurlBodyStream] = []
    /// Exchanges that go on in the next turn.
    @exclusivity(unchecked) var pausedForTurn: [Exchange] = []
    /// Exchanges that were answered while their request was still being sent; see `Workarounds/EndlessUpload.swift`.
    @exclusivity(unchecked) var early: [Exchange] = []
    /// Whether libcurl waits for more of a request's body.
    var hasHeldUpload = false
    /// Whether a server has announced the end of an HTTP/2 connection by TLS.
    var hasCloseNotify = false
    var isShared = false
    /// Counts the turns of the loop in which it calls libcurl.
    private(set) var turn: UInt = 0
    private(set) var exchanges = 0
    var hasMoved = false
    /// Whether a byte was written to a connection with TLS; set to `false` before each look.
    var hasWritten = false
    private(set) var haveMultiplexed = false

    init(_ sockets: PollSet? = nil, _ library: CurlLibrary = .linked) {
        self.library = library
        self.sockets = sockets
    }

    /// Called before the first call of libcurl in a turn.
    func beginTurn(_ exchanges: Int) {
        turn &+= 1
        self.exchanges = exchanges
        hasMoved = false
    }

    /// Notes a new connection and finds its socket among those that were opened for its first exchange. A search among the
    /// sockets of all exchanges would take seconds if thousands connect at once.
    func claim(_ ends: Ends, of opened: [Int32]) -> LoopConnection {
        let socket = opened.first { unclaimed.contains($0) && Self.localPort(of: $0) == ends.ports.local }
        let connection = LoopConnection(ends, socket: socket, loop: self)
        guard let socket else { return connection }
        unclaimed.remove(socket)
        owners[socket] = connection
        known[ends.ports, default: []].append(connection)
        return connection
    }

    /// The connection between these ends; an empty record if it was never claimed.
    func connection(between ends: Ends) -> LoopConnection {
        known[ends.ports]?.first { $0.isConnected(to: ends.remoteAddress) } ?? LoopConnection(ends, socket: nil, loop: self)
    }

    /// Notes that a response revealed its host's protocol.
    func note(_ exchange: Exchange, multiplexes: Bool) {
        discovered.append((exchange, multiplexes))
        if multiplexes { haveMultiplexed = true }
    }

    /// Whether a response has used up its part of the turn; it continues in the next. libcurl would read up to a hundred buffers
    /// of 64 KiB from a socket that never runs dry. A stream of HTTP/2 is not paused, because that would hold up the others of
    /// its connection; `Workarounds/EndlessReading.swift` bounds those.
    func mustPauseForTurn(_ handle: CurlHandle, after count: Int) -> Bool {
        guard !handle.head.isMultiplexed, let exchange = handle.exchange else { return false }
        // A server may send chunks of one byte, and each of them is a callback. If other pools wait, there are at most 500. If
        // none did when the turn began, there are at most 2,000, some 4 ms, or 3.7 MiB of a fast body.
        let (limit, pieceCost) = isShared ? (256 * 1_024, 512) : (4 * 1_024 * 1_024, 2_048)
        if handle.burst.turn != turn { handle.burst = (turn, 0) }
        handle.burst.bytes += count + pieceCost
        guard handle.burst.bytes > limit else { return false }
        handle.burst.bytes = 0
        pausedForTurn.append(exchange)
        return true
    }

    /// Whether ``hasWritten`` shows bytes that were written to the socket.
    func showsWrites(to socket: Int32) -> Bool { owners[socket]?.tls != nil && owners[socket]?.isHTTP2 == true }

    /// Notes that the reader of a streamed response has a chunk. It is woken when libcurl has read the socket, not for each piece
    /// of 16 KiB.
    func noteChunk(of stream: CurlBodyStream) {
        guard !stream.hasChunks else { return }
        stream.hasChunks = true
        withChunks.append(stream)
    }

    func wakeReaders() {
        guard !withChunks.isEmpty else { return }
        for stream in withChunks {
            stream.hasChunks = false
            stream.buffer.wake()
        }
        withChunks.removeAll(keepingCapacity: true)
    }

    private func forget(_ socket: Int32) {
        sockets?.forget(socket)
        unclaimed.remove(socket)
        guard let connection = owners.removeValue(forKey: socket) else { return }
        connection.close()
        let others = known[connection.ports]?.filter { $0 !== connection } ?? []
        known[connection.ports] = others.isEmpty ? nil : others
    }

    /// `CURLOPT_OPENSOCKETFUNCTION`: opens a socket as libcurl would, but closed on `exec`. Opens none for a peer that the
    /// channel rejects.
    static var open: curl_opensocket_callback {
        { context, _, address in
            guard let exchange = Exchange.behind(context), let address else { return ccurl_bad_socket }
            guard !exchange.route.rejects(address, exchange.request.limits.rejectedAddresses) else { return ccurl_bad_socket }
            let descriptor = socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
            guard descriptor >= 0 else {
                if [EMFILE, ENFILE].contains(errno) { exchange.route.socketRejection = String(cString: strerror(errno)) }
                return ccurl_bad_socket
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            exchange.handle?.connections.unclaimed.insert(descriptor)
            exchange.route.sockets.append(descriptor)
            return descriptor
        }
    }

    /// `CURLOPT_CLOSESOCKETFUNCTION`
    static var close: curl_closesocket_callback {
        { context, descriptor in
            if let context { Unmanaged<LoopConnections>.fromOpaque(context).takeUnretainedValue().forget(descriptor) }
            return systemClose(descriptor)
        }
    }

    private static func localPort(of descriptor: Int32) -> Int32? {
        // The port has the same offset in the addresses of both families.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return result == 0 ? Int32(UInt16(bigEndian: address.sin6_port)) : nil
    }
}

/// Inside the type `close` is another function.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

extension Array {
    /// Empties the list and returns what was in it.
    mutating func takeAll() -> Self {
        guard !isEmpty else { return [] }
        defer { self = [] }
        return self
    }
}

/// One connection of libcurl's, from its first request to its end. Used on the loop's thread only.
final class LoopConnection {
    let remoteAddress: String
    let ports: LoopConnections.Ports
    private let addressText: ContiguousArray<CChar>
    unowned let loop: LoopConnections
    /// `nil` if it is unknown, and after it is closed.
    private(set) var socket: Int32?
    /// Whether new requests must not use it.
    private(set) var isMarkedForClose = false
    /// TLS's record of it; `nil` in clear text, and after it is closed.
    var tls: TLSConnection?
    /// Whether TLS negotiated HTTP/2.
    var isHTTP2 = false
    /// The turn in which it was last seen open; see `Workarounds/SilentEnd.swift`.
    var openTurn: UInt?
    /// The turn in which it was last kept because other streams received data on it.
    private var keptTurn: UInt?

    init(_ ends: LoopConnections.Ends, socket: Int32?, loop: LoopConnections) {
        remoteAddress = String(cString: ends.remoteAddress)
        addressText = remoteAddress.utf8CString
        ports = ends.ports
        self.socket = socket
        self.loop = loop
    }

    func close() {
        hadCloseNotify = hasCloseNotify
        (socket, tls) = (nil, nil)
    }

    /// Whether its server has announced, by TLS, that it sends nothing more.
    var hasCloseNotify: Bool { tls?.hasCloseNotify == true }
    /// The same, once the connection is closed.
    private(set) var hadCloseNotify = false

    func isConnected(to address: UnsafePointer<CChar>) -> Bool {
        addressText.withUnsafeBufferPointer { text in text.baseAddress.map { strcmp($0, address) == 0 } ?? false }
    }

    /// Returns whether it is still open.
    func markForClose() -> Bool {
        if socket != nil { isMarkedForClose = true }
        return socket != nil
    }

    /// Lets new requests use the connection.
    func keep() { keptTurn = loop.turn }

    /// Whether this turn has already decided about it.
    var isDecided: Bool { isMarkedForClose || keptTurn == loop.turn }
}

/// The connection of an exchange, from the sockets that libcurl opens to what TLS says at its end.
struct Route {
    /// The sockets that libcurl opened for it; several if two addresses raced.
    var sockets: [Int32] = []
    /// Whether the channel rejects one of the host's addresses.
    private(set) var hasRejectedAddress = false
    /// The system's text if it rejected a socket because process or system have too many descriptors; libcurl's does not say so.
    var socketRejection: String?
    var connection: LoopConnection?
    /// The connection whose end may be the end of the body.
    var tls: TLSConnection?
    /// The loop's pin check, if the host has pins and libcurl has the exchange.
    var pinCheck: PinCheck?

    /// Whether the peer is one that the channel rejects. Noted, because libcurl then tries the host's next address.
    mutating func rejects(_ address: UnsafeMutablePointer<curl_sockaddr>, _ rejected: Limits.AddressClass) -> Bool {
        guard !rejected.isEmpty else { return false }
        let isRejected = withUnsafePointer(to: &address.pointee.addr) { !Limits.AddressClass(of: $0).isDisjoint(with: rejected) }
        hasRejectedAddress = hasRejectedAddress || isRejected
        return isRejected
    }
}
