internal import CoreAPICore
internal import Synchronization

/// The kit's record of one OpenSSL connection, for that connection's lifetime. On the loop's thread only.
///
/// **Its end.** A body that only the connection's end delimits is complete after `close_notify` alone (RFC 9112 §9.8). libcurl
/// over OpenSSL accepts a cut as an end. It has freed the connection when it reports an exchange as over, so the alert is
/// recorded when it arrives. HTTP/2 streams need it for `Workarounds/EndToldOnce.swift`.
///
/// **Its turn.** How much may be read from it in one turn; see `Workarounds/EndlessReading.swift`.
final class TLSConnection {
    static let living = Atomic(0)

    private(set) var hasCloseNotify = false
    private let connections: LoopConnections
    private var budget = ReadBudget()

    private init(_ connections: LoopConnections) {
        self.connections = connections
        Self.living.add(1, ordering: .relaxed)
    }

    deinit { Self.living.subtract(1, ordering: .relaxed) }

    /// Watches every connection of an `SSL_CTX`.
    ///
    /// - Parameter connections: the loop's; outlives all of them.
    static func watch(_ context: UnsafeMutableRawPointer, _ connections: LoopConnections) {
        guard let hooks = OpenSSLHooks.linked else { return }
        hooks.setNote(of: context, Unmanaged.passUnretained(connections).toOpaque())
        hooks.setInfo(context, heard)
    }

    /// The watched connection of an `SSL`.
    static func behind(_ session: UnsafeMutableRawPointer) -> TLSConnection? {
        guard let hooks = OpenSSLHooks.linked, let bio = hooks.readBIO(session) else { return nil }
        return behind(bio, hooks)
    }

    private static func behind(_ bio: UnsafeMutableRawPointer, _ hooks: OpenSSLHooks) -> TLSConnection? {
        hooks.argument(bio).map { Unmanaged<TLSConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// `SSL_CTX_set_info_callback`
    private static let heard: OpenSSLHooks.Info = { session, event, value in
        guard let session, let hooks = OpenSSLHooks.linked, let bio = hooks.readBIO(session) else { return }
        switch event {
        // SSL_CB_HANDSHAKE_START; there may be further handshakes on a connection.
        case 0x10:
            guard hooks.argument(bio) == nil, let connections = hooks.note(of: session) else { return }
            let connection = TLSConnection(Unmanaged<LoopConnections>.fromOpaque(connections).takeUnretainedValue())
            hooks.setArgument(bio, Unmanaged.passRetained(connection).toOpaque())
            hooks.setCallback(bio, used)
        // SSL_CB_READ_ALERT; the low byte is the alert, and 0 is close_notify (RFC 8446 §6.1).
        case 0x4004 where value & 0xFF == 0:
            guard let connection = behind(bio, hooks) else { break }
            connection.hasCloseNotify = true
            if OpenSSL.linked?.speaksHTTP2(session) == true { connection.connections.hasCloseNotify = true }
        default: break
        }
    }

    /// `BIO_callback_fn_ex`: returns the given result, except for a read that must wait. Notes writes; see
    /// ``CurlDefect/spinningUpload``.
    private static let used: OpenSSLHooks.BIOCallback = { bio, operation, _, _, _, _, result, _ in
        guard let bio, let hooks = OpenSSLHooks.linked else { return Int(result) }
        switch operation {
        // BIO_CB_FREE
        case 1:
            guard let connection = hooks.argument(bio) else { break }
            hooks.setArgument(bio, nil)
            Unmanaged<TLSConnection>.fromOpaque(connection).release()
        // BIO_CB_READ
        case 2:
            guard let connection = behind(bio, hooks), !connection.budget.take(in: connection.connections) else { break }
            hooks.setRetry(of: bio)
            return -1
        // BIO_CB_WRITE | BIO_CB_RETURN
        case 0x83 where result > 0: behind(bio, hooks)?.connections.hasWritten = true
        default: break
        }
        return Int(result)
    }
}
