internal import Foundation

extension CurlDefect {
    /// While an HTTP/2 server grants no window for a request's body, libcurl still waits for room in the socket. The socket has
    /// room, so each wait ends at once. The loop then uses a whole processor, until the server reads on or a timeout expires.
    ///
    /// After eight such events in a row at which libcurl writes nothing, the kit looks for room in that socket every 50 ms only,
    /// and after the next bytes of the server.
    static let spinningUpload = CurlDefect(5, in: .before(8, 14, 1))
}

/// The sockets of a multi handle that have room, and into which libcurl writes nothing.
struct IdleRoom {
    private static let limit = 8
    private static let pause: LoopClock.Nanoseconds = 50_000_000

    private var counts: [Int32: Int] = [:]
    private var ignored: Set<Int32> = []
    /// When the loop must look for room again.
    private(set) var due = LoopClock.never

    /// - Returns: whether the loop must ignore the socket's room for now.
    mutating func mustIgnore(_ descriptor: Int32) -> Bool {
        counts[descriptor, default: 0] += 1
        guard counts[descriptor, default: 0] >= Self.limit else { return false }
        ignored.insert(descriptor)
        due = min(due, LoopClock.now() + Self.pause)
        return true
    }

    /// libcurl has written into the socket, or waits for other events.
    mutating func forget(_ descriptor: Int32) {
        guard !counts.isEmpty else { return }
        counts[descriptor] = nil
        ignored.remove(descriptor)
    }

    /// - Returns: whether the room of the socket was ignored.
    mutating func take(_ descriptor: Int32) -> Bool { !ignored.isEmpty && ignored.remove(descriptor) != nil }

    mutating func takeAll() -> Set<Int32> {
        defer { (ignored, due) = ([], LoopClock.never) }
        return ignored
    }
}

extension CurlMulti {
    /// Called after libcurl has handled the events of a socket.
    func noteRoom(in descriptor: Int32, _ events: Int16) {
        guard !connections.hasWritten, events == Int16(POLLOUT) else {
            if idleRoom.take(descriptor) { sockets.watchRoom(true, in: descriptor, of: self) }
            if connections.hasWritten { idleRoom.forget(descriptor) }
            return
        }
        guard connections.library.has(.spinningUpload), connections.showsWrites(to: descriptor),
            idleRoom.mustIgnore(descriptor)
        else { return }
        sockets.watchRoom(false, in: descriptor, of: self)
    }

    func watchIdleRoom(_ now: LoopClock.Nanoseconds) {
        guard idleRoom.due <= now else { return }
        for descriptor in idleRoom.takeAll() { sockets.watchRoom(true, in: descriptor, of: self) }
    }
}
