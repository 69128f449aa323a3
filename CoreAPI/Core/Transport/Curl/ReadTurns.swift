/// Lets no connection of TLS keep the loop to itself.
///
/// libcurl 7.88.1 reads an HTTP/2 connection until there is nothing left to read. A peer that sends faster than it is read – frames
/// for a stream that was given up, pings, settings – would hold the loop inside `curl_multi_perform` past every clock, and with it all
/// other transfers. So every so often a read is told that there is nothing yet; libcurl goes on to the other connections, the loop
/// looks at its clocks and its mailbox, and the socket, which is still readable, is read on in the next round.
enum ReadTurns {
    /// Reads of one connection in a turn, two for each record of at most 16 KiB. At 64 at a time a turn never ends early.
    private static let longest: UInt = 256

    /// `BIO_callback_fn_ex`: answers what it was given, unless it is a read (`BIO_CB_READ`, 2) whose turn is over.
    static let callback: OpenSSL.BytesCallback = { bytes, operation, _, _, _, _, result, _ in
        guard operation == 2, let bytes, let openSSL = OpenSSL.linked else { return Int(result) }
        let reads = openSSL.counter(of: bytes) + 1
        guard reads >= longest else {
            openSSL.setCounter(of: bytes, to: reads)
            return Int(result)
        }
        openSSL.setCounter(of: bytes, to: 0)
        openSSL.setRetry(of: bytes)
        return -1
    }
}
