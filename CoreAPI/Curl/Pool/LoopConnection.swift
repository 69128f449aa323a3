internal import CoreAPICore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// One connection that libcurl keeps, from the first request on it to its end. Used on the loop's thread only, so that access is
/// not checked.
final class LoopConnection {
    let remoteAddress: String
    let ports: LoopConnections.Ports
    private let addressText: ContiguousArray<CChar>
    private unowned let loop: LoopConnections
    /// `nil` where it is not known, and when it is closed.
    @exclusivity(unchecked) private var socket: Int32?
    /// Nothing new may use it.
    @exclusivity(unchecked) private(set) var isCondemned = false
    /// In which turn it was last seen to stand, and last not condemned because other streams hear from it.
    @exclusivity(unchecked) private var (standingTurn, sparedTurn): (UInt?, UInt?) = (nil, nil)

    init(_ ends: LoopConnections.Ends, socket: Int32?, loop: LoopConnections) {
        remoteAddress = String(cString: ends.remoteAddress)
        addressText = remoteAddress.utf8CString
        ports = ends.ports
        self.socket = socket
        self.loop = loop
    }

    func close() { socket = nil }

    func leads(to address: UnsafePointer<CChar>) -> Bool {
        addressText.withUnsafeBufferPointer { text in text.baseAddress.map { strcmp($0, address) == 0 } ?? false }
    }

    /// - Returns: whether it still stands.
    func condemn() -> Bool {
        guard socket != nil else { return false }
        isCondemned = true
        return true
    }

    /// New requests may go on using it.
    func spare() { sparedTurn = loop.turn }

    /// Whether there is nothing more to find out about it in this turn.
    var isDecided: Bool { isCondemned || sparedTurn == loop.turn }

    /// Whether bytes, or the peer's end of the connection, wait to be read although nothing was asked for.
    func hasUnreadBytes() -> Bool {
        guard let socket else { return false }
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Whether the peer has ended the connection, whatever else it sent before. libcurl 7.88.1 does not see it on one of HTTP/2
    /// that is closed without GOAWAY, and sends the next request into it.
    ///
    /// Of the streams that begin in one turn the first looks for all.
    func hasEnded() -> Bool {
        guard let socket, standingTurn != loop.turn else { return false }
        var entry = pollfd(fd: socket, events: Self.endEvents, revents: 0)
        guard poll(&entry, 1, 0) == 0 else { return true }
        standingTurn = loop.turn
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
}

extension CurlTransfer {
    /// What a clock or a limit stopped may go on coming, and libcurl would read it for ever under the next request; and a peer
    /// that has fallen silent stays silent. Other streams keep their connection until they are done; where none of them has heard
    /// anything either, nothing new joins them.
    func condemnConnection(among transfers: [CurlTransfer]) {
        try? handle?.forbidReuse()
        // Where there is no HTTP/2 there is nobody else; and of thousands that go at once one is enough to look.
        guard let connection, ticket?.multiplexes != false, !connection.isDecided else { return }
        let others = transfers.filter { $0 !== self && $0.connection === connection }
        guard !others.contains(where: { $0.lastActivity > lastActivity }) else { return connection.spare() }
        guard connection.condemn() else { return }
        // Whichever of them is the last closes it.
        for other in others { try? other.handle?.forbidReuse() }
    }
}
