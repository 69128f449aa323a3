internal import CoreAPICore

extension Defect {
    /// libcurl reads an HTTP/2 connection until there is nothing left to read. A peer that sends faster than it is read – frames
    /// for a stream that was given up, pings, settings – would hold the loop inside `curl_multi_socket_action` past every clock,
    /// and with it all other transfers, of every channel.
    ///
    /// When the reads of a turn are used up, the kit tells the next one that there is nothing yet (``TLSConnection``). The loop
    /// looks at its clocks and its mailbox, and reads on in its next turn, because the socket is still readable. The fault
    /// needs a peer that is faster than libcurl; `FloodTests` show that clocks and other hosts do not wait.
    static let endlessReading = Defect(5, in: .every)
}

/// The reads of one connection that are allowed in one turn of its loop.
struct ReadBudget {
    /// Two reads for each record of at most 16 KiB: about 512 KiB, some 0.3 ms.
    private static let readsPerTurn = 64

    private var turn: UInt = 0
    private var reads = 0

    /// - Returns: whether one more is allowed.
    mutating func take(in connections: LoopConnections) -> Bool {
        if turn != connections.turn { (turn, reads) = (connections.turn, 0) }
        reads += 1
        return reads <= Self.readsPerTurn || !connections.library.has(.endlessReading)
    }
}
