// libcurl reads an HTTP/2 connection until it is empty. A peer may send faster than libcurl reads: frames for an abandoned
// stream, pings, settings. It would hold the loop inside `curl_multi_socket_action` beyond every timeout, and with it all
// other exchanges, of every channel.
//
// When the reads of a turn are used up, the kit makes the next read report "no data yet" (`TLSConnection`). The loop checks its
// timeouts and its mailbox, and reads on in its next turn, because the socket is still readable. `WorkaroundTests.turn` shows
// that a turn ends, and `FloodTests` that timeouts and other hosts do not wait.

/// The number of reads of one connection allowed in one turn of its loop.
struct ReadBudget {
    private var turn: UInt = 0
    private var reads = 0

    /// Whether one more read is allowed. At least 64 are, two for each record of 16 KiB: 512 KiB, some 0.3 ms. libcurl looks at
    /// all exchanges in a turn, so more of them may read more: with 64 reads, 8,000 responses took twice the processor time. At
    /// most 1,024, because a flood must end.
    mutating func take(in connections: LoopConnections) -> Bool {
        if turn != connections.turn { (turn, reads) = (connections.turn, 0) }
        reads += 1
        return reads <= min(max(64, 2 * connections.exchanges), 1_024)
    }
}
