internal import CCurl

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The connections that libcurl keeps for a loop, so that one can be looked at before it is used again.
///
/// libcurl 7.88.1 reuses an HTTP/1.1 connection although bytes lie on it that no request has asked for; it takes them for the answer
/// to the next one, and every answer after it is the one before (RFC 9112 §9.3 leaves such a connection unusable). It does not tell
/// the socket of a connection that is about to be used, so sockets are noted when they are opened and found again by their two ends.
///
/// Used on the loop's thread only, so that access is not checked; outlives every connection.
final class LoopConnections {
    /// What `CURLOPT_PREREQFUNCTION` says of a connection.
    struct Ends: Hashable {
        let remoteAddress: String
        let remotePort: Int32
        let localPort: Int32

        // Alone it tells almost all of them apart, and to hash an address costs more than to compare it.
        func hash(into hasher: inout Hasher) { hasher.combine(localPort) }
    }

    /// Opened, and not yet seen in a connection: attempts that are on their way, and those that lost the race of two addresses.
    private var unclaimed: Set<Int32> = []
    @exclusivity(unchecked) private var sockets: [Ends: Int32] = [:]
    private var ends: [Int32: Ends] = [:]
    @exclusivity(unchecked) private var condemned: Set<Ends> = []
    /// Not condemned in this turn, because other streams hear from them.
    @exclusivity(unchecked) private var spared: Set<Ends> = []
    /// Which connection was last seen to stand, and in which turn.
    @exclusivity(unchecked) private var standing: (ends: Ends, turn: UInt)?
    /// Counts the loop's calls of `curl_multi_perform`.
    @exclusivity(unchecked) private(set) var turn: UInt = 0
    /// Whether a byte came or went in this turn.
    @exclusivity(unchecked) var hasMoved = false

    /// The loop calls `curl_multi_perform`.
    func beginTurn() {
        turn &+= 1
        hasMoved = false
        if !spared.isEmpty { spared.removeAll() }
    }

    /// Notes whose socket the new connection between these ends is: one of those that were opened for the transfer that uses it first.
    /// Among those of all transfers it would be looked for in vain for seconds, where thousands connect at once.
    func claim(_ ends: Ends, of opened: [Int32]) {
        guard let socket = opened.first(where: { unclaimed.contains($0) && Self.localPort(of: $0) == ends.localPort }) else {
            return
        }
        unclaimed.remove(socket)
        sockets[ends] = socket
        self.ends[socket] = ends
    }

    /// Nothing new may use the connection between these ends.
    ///
    /// - Returns: whether it still stands.
    func condemn(_ ends: Ends) -> Bool {
        guard sockets[ends] != nil else { return false }
        condemned.insert(ends)
        return true
    }

    func isCondemned(_ ends: Ends) -> Bool { condemned.contains(ends) }

    /// New requests may go on using the connection between these ends.
    func spare(_ ends: Ends) { spared.insert(ends) }

    /// Whether there is nothing more to find out about the connection in this turn.
    func isDecided(_ ends: Ends) -> Bool { condemned.contains(ends) || spared.contains(ends) }

    /// Whether bytes, or the peer's end of the connection, wait to be read although nothing was asked for.
    func hasUnreadBytes(_ ends: Ends) -> Bool {
        guard let socket = sockets[ends] else { return false }
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Whether the peer has ended the connection, whatever else it sent before. libcurl 7.88.1 does not see it on one of HTTP/2 that is
    /// closed without GOAWAY, and sends the next request into it.
    ///
    /// Of the streams that begin in one turn the first looks for all.
    func hasEnded(_ ends: Ends) -> Bool {
        if let standing, standing.turn == turn, standing.ends == ends { return false }
        guard let socket = sockets[ends] else { return false }
        var entry = pollfd(fd: socket, events: Self.endEvents, revents: 0)
        guard poll(&entry, 1, 0) == 0 else { return true }
        standing = (ends, turn)
        return false
    }

    /// POLLHUP and POLLERR are always reported; a peer's FIN has to be asked for.
    private static var endEvents: Int16 {
        #if canImport(Darwin)
        Int16(POLLHUP)
        #else
        0x2000  // POLLRDHUP, which the header shows to GNU sources only.
        #endif
    }

    /// `CURLOPT_OPENSOCKETFUNCTION`: what libcurl would do itself, and closed on `exec`; and nothing for a peer that the channel refuses.
    static var open: curl_opensocket_callback {
        { context, _, address in
            guard let transfer = CurlTransfer.behind(context), let address else { return ccurl_bad_socket }
            guard !transfer.refuses(address) else { return ccurl_bad_socket }
            let descriptor = socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
            guard descriptor >= 0 else { return ccurl_bad_socket }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            transfer.connections?.unclaimed.insert(descriptor)
            transfer.openedSockets.append(descriptor)
            return descriptor
        }
    }

    /// `CURLOPT_CLOSESOCKETFUNCTION`
    static var close: curl_closesocket_callback {
        { context, descriptor in
            if let context {
                let connections = Unmanaged<LoopConnections>.fromOpaque(context).takeUnretainedValue()
                connections.unclaimed.remove(descriptor)
                if let ends = connections.ends.removeValue(forKey: descriptor) {
                    connections.sockets[ends] = nil
                    connections.standing = nil
                    connections.condemned.remove(ends)
                }
            }
            return systemClose(descriptor)
        }
    }

    private static func localPort(of descriptor: Int32) -> Int32? {
        // The port stands in the same place for both families.
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
