internal import Foundation

// libcurl does not notice that the peer has ended an HTTP/2 connection without GOAWAY, and sends the next request on it.
//
// The kit checks the socket before the request is sent, and uses a new connection if the peer has ended this one.
// `SpoiltConnectionTests.closedHTTP2` fails now and then without this; `WorkaroundTests.endSeen` shows the check.

extension LoopConnection {
    /// Whether the peer has ended the connection, whatever else it sent before. Of the streams that begin in one turn the first
    /// checks for all.
    var hasSilentEnd: Bool {
        guard let socket, openTurn != loop.turn else { return false }
        var entry = pollfd(fd: socket, events: Self.endEvents, revents: 0)
        guard poll(&entry, 1, 0) == 0 else { return true }
        openTurn = loop.turn
        return false
    }

    /// POLLHUP and POLLERR are always reported; a peer's FIN must be asked for.
    private static var endEvents: Int16 {
        #if canImport(Darwin)
        Int16(POLLHUP)
        #else
        0x2000  // POLLRDHUP, which the header shows to GNU sources only.
        #endif
    }
}
