internal import CoreAPICore
internal import Synchronization

/// What the kit notes of one connection of OpenSSL's, for as long as that lives. On the loop's thread only.
///
/// **Its end.** A body that only the connection's end delimits is complete after `close_notify` alone (RFC 9112 §9.8). libcurl
/// over OpenSSL takes a cut for an end, and has freed the connection when it says that a transfer is over, so the alert is noted
/// as it comes.
///
/// **Its turn.** libcurl 7.88.1 reads an HTTP/2 connection until there is nothing left to read. A peer that sends faster than it
/// is read – frames for a stream that was given up, pings, settings – would hold the loop inside `curl_multi_perform` past every
/// clock, and with it all other transfers, of every channel. So when the reads of a turn are used up, the next one is told that
/// there is nothing yet; the loop looks at its clocks and its mailbox, and reads on in its next turn, because the socket is still
/// readable.
final class TLSConnection {
    /// Two reads for each record of at most 16 KiB: about 512 KiB, some 0.3 ms.
    private static let readsPerTurn = 64

    /// How many there are in the process.
    static let living = Atomic(0)

    /// Whether the peer said that it sends nothing more.
    private(set) var hasCloseNotify = false
    private let connections: LoopConnections
    private var turn: UInt = 0
    private var reads = 0

    private init(_ connections: LoopConnections) {
        self.connections = connections
        Self.living.add(1, ordering: .relaxed)
    }

    deinit {
        Self.living.subtract(1, ordering: .relaxed)
    }

    /// Has every connection of an `SSL_CTX` watched.
    ///
    /// - Parameter connections: the loop's; outlives all of them.
    static func watch(_ context: UnsafeMutableRawPointer, _ connections: LoopConnections) {
        guard let taps = OpenSSLTaps.linked else { return }
        taps.setNote(of: context, Unmanaged.passUnretained(connections).toOpaque())
        taps.setInfo(of: context, heard)
    }

    /// The watched connection of an `SSL`.
    static func behind(_ session: UnsafeMutableRawPointer) -> TLSConnection? {
        guard let taps = OpenSSLTaps.linked, let bio = taps.readBIO(of: session) else { return nil }
        return behind(bio, taps)
    }

    private static func behind(_ bio: OpaquePointer, _ taps: OpenSSLTaps) -> TLSConnection? {
        taps.argument(of: bio).map { Unmanaged<TLSConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// `SSL_CTX_set_info_callback`
    private static let heard: OpenSSLTaps.Info = { session, event, value in
        guard let session, let taps = OpenSSLTaps.linked, let bio = taps.readBIO(of: session) else { return }
        switch event {
        // SSL_CB_HANDSHAKE_START; there may be further handshakes on a connection.
        case 0x10:
            guard taps.argument(of: bio) == nil, let connections = taps.note(of: session) else { return }
            let connection = TLSConnection(Unmanaged<LoopConnections>.fromOpaque(connections).takeUnretainedValue())
            taps.setArgument(of: bio, Unmanaged.passRetained(connection).toOpaque())
            taps.setCallback(of: bio, used)
        // SSL_CB_READ_ALERT; the low byte is the alert, and 0 is close_notify (RFC 8446 §6.1).
        case 0x4004 where value & 0xFF == 0: behind(bio, taps)?.hasCloseNotify = true
        default: break
        }
    }

    /// `BIO_callback_fn_ex`: answers what it was given, unless it is a read that has to wait.
    private static let used: OpenSSLTaps.BIOCallback = { bio, operation, _, _, _, _, result, _ in
        guard let bio, let taps = OpenSSLTaps.linked else { return Int(result) }
        switch operation {
        // BIO_CB_FREE
        case 1:
            guard let connection = taps.argument(of: bio) else { break }
            taps.setArgument(of: bio, nil)
            Unmanaged<TLSConnection>.fromOpaque(connection).release()
        // BIO_CB_READ
        case 2:
            guard let connection = behind(bio, taps), !connection.mayRead() else { break }
            taps.setRetry(of: bio)
            return -1
        default: break
        }
        return Int(result)
    }

    private func mayRead() -> Bool {
        if turn != connections.turn {
            turn = connections.turn
            reads = 0
        }
        reads += 1
        return reads <= Self.readsPerTurn
    }
}
