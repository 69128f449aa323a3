internal import CoreAPICore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// One connection of libcurl's, from its first request to its end. Used on the loop's thread only, so exclusivity checks are off.
final class LoopConnection {
    let remoteAddress: String
    let ports: LoopConnections.Ports
    private let addressText: ContiguousArray<CChar>
    unowned let loop: LoopConnections
    /// `nil` if it is unknown, and after it is closed.
    @exclusivity(unchecked) private(set) var socket: Int32?
    /// Whether new requests must not use it.
    @exclusivity(unchecked) private(set) var isMarkedForClose = false
    /// TLS's record of it; `nil` in clear text, and after it is closed.
    @exclusivity(unchecked) var tls: TLSConnection?
    /// Whether TLS negotiated HTTP/2.
    @exclusivity(unchecked) var isHTTP2 = false
    /// The turn in which it was last seen open; see ``Defect/silentEnd``.
    @exclusivity(unchecked) var openTurn: UInt?
    /// The turn in which it was last kept because other streams received data on it.
    @exclusivity(unchecked) private var keptTurn: UInt?

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

    func leads(to address: UnsafePointer<CChar>) -> Bool {
        addressText.withUnsafeBufferPointer { text in text.baseAddress.map { strcmp($0, address) == 0 } ?? false }
    }

    /// - Returns: whether it is still open.
    func markForClose() -> Bool {
        guard socket != nil else { return false }
        isMarkedForClose = true
        return true
    }

    /// Lets new requests use the connection.
    func keep() { keptTurn = loop.turn }

    /// Whether this turn has already decided about it.
    var isDecided: Bool { isMarkedForClose || keptTurn == loop.turn }
}

extension CurlTransfer {
    /// Closes the connection of a transfer that a timeout or a limit stopped. Its bytes may keep arriving, and libcurl would read
    /// them forever under the next request; a silent peer stays silent. Other streams keep their connection until they are done.
    /// If they have received nothing either, no new stream joins them.
    func closeConnectionAfterUse(among transfers: [CurlTransfer]) {
        try? handle?.forbidReuse()
        // Without HTTP/2 there is no other stream. And if thousands stop at once, one check is enough.
        guard let connection, ticket?.multiplexes != false, !connection.isDecided else { return }
        let others = transfers.filter { $0 !== self && $0.connection === connection }
        guard !others.contains(where: { $0.lastActivity > lastActivity }) else { return connection.keep() }
        guard connection.markForClose() else { return }
        // The last of them closes it.
        for other in others { try? other.handle?.forbidReuse() }
    }
}
