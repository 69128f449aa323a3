internal import Foundation

/// The descriptors that a loop waits for with one `poll(2)`: its wake-up, and the sockets that its multi handles ask for
/// (`CURLMOPT_SOCKETFUNCTION`). On the loop's thread only.
///
/// The cost of `poll` grows with the number of descriptors, as that of `curl_multi_poll` does. But it needs no system call when a
/// descriptor is added or removed, which epoll does for every request.
final class PollSet {
    /// As many as a busy channel has requests in flight, so that small responses are all handled within one turn.
    static let socketsPerTurn = 64

    private let wakeup: Wakeup
    /// The first entry is the wake-up.
    @exclusivity(unchecked) private var entries: [pollfd]
    /// The owner of the entry of the same index; the wake-up has none.
    @exclusivity(unchecked) private var owners: [CurlMulti?] = [nil]
    /// By descriptor: the index of its entry, or -1.
    @exclusivity(unchecked) private var indexes: [Int] = []
    /// Sockets that became ready in the last wait, in the order in which they are served.
    @exclusivity(unchecked) private(set) var ready: [Int32] = []
    /// The index of the entry at which the next wait begins.
    private var first = 1
    @exclusivity(unchecked) private var patience = EagerWait()

    init(_ wakeup: Wakeup) {
        self.wakeup = wakeup
        entries = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// - Parameter events: of `poll(2)`.
    func watch(_ descriptor: Int32, events: Int16, for owner: CurlMulti) {
        guard let index = index(of: descriptor) else {
            let missing = Int(descriptor) + 1 - indexes.count
            if missing > 0 { indexes.append(contentsOf: repeatElement(-1, count: missing)) }
            indexes[Int(descriptor)] = entries.count
            entries.append(pollfd(fd: descriptor, events: events, revents: 0))
            owners.append(owner)
            owner.watched += 1
            return
        }
        entries[index].events = events
        guard let previous = owners[index], previous !== owner else { return }
        // The system reused a descriptor whose close was not reported. The earlier event concerned the previous owner.
        entries[index].revents = 0
        owners[index] = owner
        previous.watched -= 1
        owner.watched += 1
    }

    /// - Parameter owner: the expected owner; `nil` if the descriptor is about to be closed.
    func forget(_ descriptor: Int32, of owner: CurlMulti? = nil) {
        guard let index = index(of: descriptor), let known = owners[index], owner == nil || known === owner else { return }
        known.watched -= 1
        indexes[Int(descriptor)] = -1
        let (entry, last) = (entries.removeLast(), owners.removeLast())
        guard index < entries.count else { return }
        entries[index] = entry
        owners[index] = last
        indexes[Int(entry.fd)] = index
    }

    /// - Parameter isWatched: whether to wait for room in a socket, until ``watch(_:events:for:)``.
    func watchRoom(_ isWatched: Bool, in descriptor: Int32, of owner: CurlMulti) {
        guard let index = index(of: descriptor), owners[index] === owner else { return }
        if isWatched { entries[index].events |= Int16(POLLOUT) } else { entries[index].events &= ~Int16(POLLOUT) }
    }

    func forgetAll(of owner: CurlMulti) {
        for entry in entries where entry.fd != wakeup.descriptor { forget(entry.fd, of: owner) }
    }

    /// Waits until a descriptor is ready or the time is over, and fills ``ready``.
    func wait(milliseconds: Int32) {
        ready.removeAll(keepingCapacity: true)
        let count = milliseconds == 0 ? look(milliseconds: 0) : patience.wait(milliseconds: milliseconds, look)
        guard count > 0 else {
            // If the system keeps not waiting, the loop must not spin at full speed.
            if count < 0, count != -EINTR { usleep(1_000) }
            return
        }
        var left = Int(count)
        if entries[0].revents != 0 {
            wakeup.clear()
            left -= 1
        }
        var index = first
        for _ in 1..<max(1, entries.count) where left > 0 {
            if index >= entries.count { index = 1 }
            if entries[index].revents != 0 {
                ready.append(entries[index].fd)
                left -= 1
            }
            index += 1
        }
    }

    private func look(milliseconds: Int32) -> Int32 {
        let count = entries.withUnsafeMutableBufferPointer { poll($0.baseAddress, nfds_t($0.count), milliseconds) }
        return count < 0 ? -errno : count
    }

    /// The events and the owner of a ready socket; `nil` if the socket was closed meanwhile, or is another one by now.
    private func take(_ descriptor: Int32) -> (owner: CurlMulti, events: Int16)? {
        guard let index = index(of: descriptor), let owner = owners[index], entries[index].revents != 0 else { return nil }
        let events = entries[index].revents
        entries[index].revents = 0
        // A socket that was closed without a report would end every wait at once.
        if events & Int16(POLLNVAL) != 0 { forget(descriptor) }
        return (owner, events)
    }

    /// Serves each ready socket once, and at most ``socketsPerTurn`` of an owner. The next wait begins with the first one left.
    func serve(_ act: (_ owner: CurlMulti, _ descriptor: Int32, _ events: Int16) -> Void) {
        var left: Int32?
        for descriptor in ready {
            guard let (owner, events) = take(descriptor) else { continue }
            if owner.mayBeServed(atMost: Self.socketsPerTurn) {
                act(owner, descriptor, events)
            } else {
                left = left ?? descriptor
            }
        }
        if let left { first = index(of: left) ?? 1 }
    }

    private func index(of descriptor: Int32) -> Int? {
        guard descriptor >= 0, descriptor < indexes.count else { return nil }
        let index = indexes[Int(descriptor)]
        return index < 0 ? nil : index
    }
}

/// Ends a loop's wait from any thread. It is a pipe, because every system has pipes. A signalling thread holds a reference, so
/// the pipe outlives every signal.
final class Wakeup: Sendable {
    /// The end that the loop reads.
    let descriptor: Int32
    private let entrance: Int32

    /// - Returns: `nil` if the process has no further descriptor.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, entrance) = (ends[0], ends[1])
    }

    deinit {
        _ = close(descriptor)
        _ = close(entrance)
    }

    /// A full pipe has woken the loop already, so the result does not matter.
    func signal() {
        var byte: UInt8 = 1
        _ = write(entrance, &byte, 1)
    }

    /// Called by the loop: one signal ends each sleep, so one read takes everything.
    func clear() {
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = withUnsafeMutableBytes(of: &bytes) { read(descriptor, $0.baseAddress, $0.count) }
    }
}

/// Looks again and again before it sleeps, if the last two waits were short.
///
/// To sleep and to be woken takes longer than a response of a server on the same machine. Between the looks the loop yields its
/// core. One request at a time (S1) needs 88 µs with this type and 161 µs without it, for the same processor time.
///
/// Two short waits, because a caller also sends its next request soon after the response of a distant server.
struct EagerWait {
    /// Waits below this are short.
    static let limit: LoopClock.Nanoseconds = 100_000

    private var shortWaits = 0

    /// - Parameter look: `poll(2)`, which may sleep for the given milliseconds: the number of ready descriptors, or `-errno`.
    mutating func wait(milliseconds: Int32, _ look: (Int32) -> Int32) -> Int32 {
        let began = LoopClock.now()
        var count: Int32 = 0
        while shortWaits > 1, count == 0, LoopClock.now() - began < Self.limit {
            count = look(0)
            if count == 0 { sched_yield() }
        }
        if count == 0 { count = look(milliseconds) }
        shortWaits = LoopClock.now() - began < Self.limit ? min(2, shortWaits + 1) : 0
        return count
    }
}
