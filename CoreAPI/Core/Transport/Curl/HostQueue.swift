/// Who may start now: bounds on the transfers of one host and on the connections of all, first come first served within a host, the
/// hosts taking turns. No I/O, no clock, no threads: one owner calls it, so that access is not checked.
///
/// The kit queues, because a transfer that waits inside libcurl is invisible there: it cannot be told from one that connects, and
/// no getter of 7.88.1 says how long it waited (`CURLINFO_QUEUE_TIME_T` came with 8.6).
///
/// What a host may have at once depends on its protocol. One HTTP/1.1 connection carries one transfer. One HTTP/2 connection carries
/// many, and a host that speaks it gets one (RFC 9113 §9.1): what does not fit on it would make libcurl 7.88 open one for every item.
/// Whether a host speaks it is known with its first response, or because it cannot; until then it gets no more than a few.
final class HostQueue<Key: Hashable, Item> {
    /// Names one item, waiting or started, until it is removed or finished.
    struct Ticket {
        fileprivate let lane: Lane
        fileprivate let number: UInt64

        /// Whether the host multiplexes; `nil` until its first response.
        var multiplexes: Bool? { lane.multiplexes }
    }

    fileprivate final class Lane {
        let key: Key
        @exclusivity(unchecked) var waiting = FIFO<(number: UInt64, item: Item?)>()
        /// Waiting items that were not removed.
        @exclusivity(unchecked) var live = 0
        @exclusivity(unchecked) var active = 0
        @exclusivity(unchecked) var multiplexes: Bool?
        /// Whether the lane stands in `turns`.
        @exclusivity(unchecked) var isListed = false

        init(key: Key) {
            self.key = key
        }
    }

    /// Items of a host of which it is not known what it speaks. libcurl holds them back until the first one has a connection, and shows
    /// nobody for how long.
    static var scouts: Int { 8 }

    private let connections: Int
    private let connectionsPerHost: Int
    private let streamsPerConnection: Int
    /// How many may wait.
    let capacity: Int

    @exclusivity(unchecked) private var lanes: [Key: Lane] = [:]
    @exclusivity(unchecked) private var recent: Lane?
    @exclusivity(unchecked) private var turns = FIFO<Lane>()
    @exclusivity(unchecked) private var lastNumber: UInt64 = 0
    @exclusivity(unchecked) private var usedConnections = 0
    @exclusivity(unchecked) private var multiplexingLanes = 0

    /// Items that wait.
    @exclusivity(unchecked) private(set) var waiting = 0
    /// Items that started and did not finish.
    @exclusivity(unchecked) private(set) var active = 0

    init(connections: Int, connectionsPerHost: Int, streamsPerConnection: Int, capacity: Int) {
        self.connections = max(1, connections)
        self.connectionsPerHost = max(1, connectionsPerHost)
        self.streamsPerConnection = max(1, streamsPerConnection)
        self.capacity = max(0, capacity)
    }

    /// Joins the queue, or returns `nil` when as many wait as may. One that can start at once is never refused.
    ///
    /// - Parameters:
    ///   - item: what waits.
    ///   - key: its host.
    ///   - multiplexes: what is known about the host before its first response.
    func enqueue(_ item: Item, for key: Key, multiplexes: Bool? = nil) -> Ticket? {
        let lane = lane(for: key)
        if lane.multiplexes == nil, let multiplexes { change(lane) { lane.multiplexes = multiplexes } }
        guard waiting < capacity || (lane.live == 0 && canStart(lane)) else {
            forgetIfIdle(lane)
            return nil
        }
        lastNumber += 1
        lane.waiting.append((lastNumber, item))
        lane.live += 1
        waiting += 1
        list(lane)
        return Ticket(lane: lane, number: lastNumber)
    }

    /// Lets an item start at once that would be the next; `nil` where others wait, or there is no place. Most items find one, and need not
    /// go through the lists of those that wait.
    ///
    /// - Parameters: as for ``enqueue(_:for:multiplexes:)``.
    func start(for key: Key, multiplexes: Bool? = nil) -> Ticket? {
        guard waiting == 0 else { return nil }
        let lane = lane(for: key)
        if lane.multiplexes == nil, let multiplexes { change(lane) { lane.multiplexes = multiplexes } }
        guard canStart(lane) else {
            forgetIfIdle(lane)
            return nil
        }
        lastNumber += 1
        active += 1
        change(lane) { lane.active += 1 }
        return Ticket(lane: lane, number: lastNumber)
    }

    /// Takes an item out that did not start yet.
    func remove(_ ticket: Ticket) {
        let lane = ticket.lane
        guard let place = lane.waiting.firstIndex(notBefore: { $0.number < ticket.number }),
            let found = lane.waiting[place], found.number == ticket.number, found.item != nil
        else { return }
        lane.waiting[place] = (ticket.number, nil)
        lane.live -= 1
        waiting -= 1
        // Whoever queues and cancels behind a stuck host must not make the list grow for ever.
        if lane.waiting.count > 64, lane.live * 2 < lane.waiting.count {
            lane.waiting.removeAll { $0.item == nil }
        }
        forgetIfIdle(lane)
    }

    /// The next item that may start; it counts as started from now on.
    func next() -> (item: Item, ticket: Ticket)? {
        guard waiting > 0 else { return nil }
        // Only a host that multiplexes can start something on a connection that it has already.
        if usedConnections >= connections, multiplexingLanes == 0 { return nil }
        for _ in 0..<turns.count {
            guard let lane = turns.popFirst() else { break }
            guard lane.live > 0, lane.active < limit(of: lane) else {
                lane.isListed = false
                forgetIfIdle(lane)
                continue
            }
            guard canStart(lane), let (item, number) = popLive(lane) else {
                turns.append(lane)
                continue
            }
            lane.live -= 1
            waiting -= 1
            active += 1
            change(lane) { lane.active += 1 }
            if lane.live > 0 { turns.append(lane) } else { lane.isListed = false }
            return (item, Ticket(lane: lane, number: number))
        }
        return nil
    }

    /// Gives a started item's place free.
    func finish(_ ticket: Ticket) {
        guard ticket.lane.active > 0 else { return }
        change(ticket.lane) { ticket.lane.active -= 1 }
        active -= 1
        list(ticket.lane)
        forgetIfIdle(ticket.lane)
    }

    /// Notes what a response said about its host.
    func learn(_ ticket: Ticket, multiplexes: Bool) {
        change(ticket.lane) { ticket.lane.multiplexes = multiplexes }
        list(ticket.lane)
    }

    // MARK: - Lanes

    private func limit(of lane: Lane) -> Int {
        switch lane.multiplexes {
        case true?: streamsPerConnection
        case false?: connectionsPerHost
        case nil: min(Self.scouts, connectionsPerHost)
        }
    }

    private func connections(of lane: Lane, active: Int) -> Int {
        lane.multiplexes == true ? active / streamsPerConnection + (active % streamsPerConnection == 0 ? 0 : 1) : active
    }

    private func canStart(_ lane: Lane) -> Bool {
        guard lane.active < limit(of: lane) else { return false }
        let added = connections(of: lane, active: lane.active + 1) - connections(of: lane, active: lane.active)
        return usedConnections + added <= connections
    }

    private func popLive(_ lane: Lane) -> (Item, UInt64)? {
        while let (number, item) = lane.waiting.popFirst() {
            if let item { return (item, number) }
        }
        return nil
    }

    /// Changes what the counts of all lanes are made of.
    private func change(_ lane: Lane, _ body: () -> Void) {
        usedConnections -= connections(of: lane, active: lane.active)
        multiplexingLanes -= lane.multiplexes == true ? 1 : 0
        body()
        usedConnections += connections(of: lane, active: lane.active)
        multiplexingLanes += lane.multiplexes == true ? 1 : 0
    }

    private func list(_ lane: Lane) {
        guard !lane.isListed, lane.live > 0 else { return }
        lane.isListed = true
        turns.append(lane)
    }

    private func lane(for key: Key) -> Lane {
        // Most items are for the host of the one before; to compare it costs a sixth of looking it up.
        if let recent, recent.key == key { return recent }
        let lane = lanes[key] ?? Lane(key: key)
        lanes[key] = lane
        recent = lane
        return lane
    }

    /// What is known about a host is worth keeping, but not for every host that was ever spoken to.
    private func forgetIfIdle(_ lane: Lane) {
        guard lanes.count > 256, lane.active == 0, lane.live == 0, !lane.isListed else { return }
        change(lane) { lane.multiplexes = nil }
        lanes[lane.key] = nil
        if recent === lane { recent = nil }
    }
}
