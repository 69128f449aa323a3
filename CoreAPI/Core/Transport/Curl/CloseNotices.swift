/// Which TLS connections were ended by their peer's `close_notify`, and not by somebody who cut the wire.
///
/// A body whose only end is the connection's is complete after that alert alone (RFC 9112 §9.8). libcurl over OpenSSL takes either end
/// for one, and has freed the connection when it says that a transfer is over, so the alert is noted as it comes. Only connections
/// that such an answer is read from are looked at.
enum CloseNotices {
    /// By OpenSSL's address of the connection, which no two living ones share; the alert may come on any loop's thread.
    private static let awaited = Mutex<[UInt: Bool]>([:])

    /// Begins to look out for the alert.
    static func await(on session: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: session)
        awaited.withLock { $0[address] = false }
    }

    /// Ends looking out for it.
    ///
    /// - Returns: whether it came.
    static func take(from session: UnsafeMutableRawPointer) -> Bool {
        let address = UInt(bitPattern: session)
        return awaited.withLock { $0.removeValue(forKey: address) ?? false }
    }

    /// The alert came.
    static func note(on session: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: session)
        awaited.withLock { awaited in
            if awaited[address] != nil { awaited[address] = true }
        }
    }
}
