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
    unowned let loop: LoopConnections
    /// `nil` where it is not known, and when it is closed.
    @exclusivity(unchecked) private(set) var socket: Int32?
    /// Nothing new may use it.
    @exclusivity(unchecked) private(set) var isMarkedForClose = false
    /// In which turn it was last seen to stand; see ``Defect/silentEnd``.
    @exclusivity(unchecked) var standingTurn: UInt?
    /// In which turn it was last kept because other streams hear from it.
    @exclusivity(unchecked) private var keptTurn: UInt?

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
    func markForClose() -> Bool {
        guard socket != nil else { return false }
        isMarkedForClose = true
        return true
    }

    /// New requests may go on using it.
    func keep() { keptTurn = loop.turn }

    /// Whether there is nothing more to find out about it in this turn.
    var isDecided: Bool { isMarkedForClose || keptTurn == loop.turn }
}

extension CurlTransfer {
    /// What a clock or a limit stopped may go on coming, and libcurl would read it for ever under the next request; and a peer
    /// that has fallen silent stays silent. Other streams keep their connection until they are done; where they have heard
    /// nothing either, nothing new joins them.
    func closeConnectionAfterUse(among transfers: [CurlTransfer]) {
        try? handle?.forbidReuse()
        // Without HTTP/2 there is no other stream; and of thousands that go at once one is enough to look.
        guard let connection, ticket?.multiplexes != false, !connection.isDecided else { return }
        let others = transfers.filter { $0 !== self && $0.connection === connection }
        guard !others.contains(where: { $0.lastActivity > lastActivity }) else { return connection.keep() }
        guard connection.markForClose() else { return }
        // Whichever of them is the last closes it.
        for other in others { try? other.handle?.forbidReuse() }
    }
}
