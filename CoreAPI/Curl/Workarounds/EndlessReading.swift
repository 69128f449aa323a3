internal import CoreAPICore

// libcurl reads an HTTP/2 connection until it is empty. A peer may send faster than libcurl reads: frames for an abandoned
// stream, pings, settings. It would hold the loop inside `curl_multi_socket_action` beyond every timeout, and with it all
// other exchanges, of every channel.
//
// When the reads of a turn are used up, the kit makes the next read report "no data yet" (`TLSConnection`). The loop
// checks its timeouts and its mailbox, and reads on in its next turn, because the socket is still readable. The fault needs
// a peer that is faster than libcurl. `WorkaroundTests.turn` shows that a turn ends, and `FloodTests` that timeouts and
// other hosts do not wait. `docs/libcurl/endless-reading.c` shows the defect on 7.88.1, and the right behaviour on 8.14.1.

/// The number of reads of one connection allowed in one turn of its loop.
struct ReadBudget {
    /// At least 64, two for each record of 16 KiB: 512 KiB, some 0.3 ms. libcurl looks at all exchanges in a turn, so more of
    /// them may read more. With 64 reads, 8,000 responses took twice the processor time. At most 1,024, because a flood must end.
    private static func reads(of connections: LoopConnections) -> Int { min(max(64, 2 * connections.exchanges), 1_024) }

    private var turn: UInt = 0
    private var reads = 0

    /// - Returns: whether one more read is allowed.
    mutating func take(in connections: LoopConnections) -> Bool {
        if turn != connections.turn { (turn, reads) = (connections.turn, 0) }
        reads += 1
        return reads <= Self.reads(of: connections)
    }
}
