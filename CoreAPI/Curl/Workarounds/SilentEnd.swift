internal import CoreAPICore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension Defect {
    /// libcurl does not see that the peer has ended an HTTP/2 connection without GOAWAY, and sends the next request into it.
    ///
    /// The kit asks the socket before the request leaves, and takes a fresh connection where the peer has ended this one. The
    /// fault needs a moment that a test cannot choose; `SpoiltConnectionTests.closedHTTP2` fails now and then without this.
    static let silentEnd = Defect(1, in: .every)
}

extension CurlTransfer {
    /// Whether the peer has ended the connection, whatever else it sent before.
    func findsSilentEnd(of connection: LoopConnection, _ handle: CurlHandle) -> Bool {
        handle.library.has(.silentEnd) && connection.hasEnded()
    }
}

extension LoopConnection {
    /// Of the streams that begin in one turn the first looks for all.
    fileprivate func hasEnded() -> Bool {
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
