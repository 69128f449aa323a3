internal import CoreAPICore
internal import Synchronization

/// Decides which transfer may start now: it bounds the transfers of one host and the connections of all. First come, first served
/// within a host; the hosts take turns. No I/O, no clock, no threads: its owner's lock guards it, so that access is not checked.
///
/// The kit queues, because a transfer that waits inside libcurl is invisible there: it cannot be told from one that connects, and
/// older libraries do not say how long it waited (`CURLINFO_QUEUE_TIME_T`).
///
/// What a host may have at once depends on its protocol. One HTTP/1.1 connection carries one transfer. One HTTP/2 connection
/// carries many, and a host that speaks it gets one (RFC 9113 §9.1): for what does not fit on it libcurl would open a connection
/// each. Whether a host speaks it is known with its first response, or because it cannot; until then it gets no more than a
/// few.
///
/// **Shards.** A pool that several loops serve has a shard on each. The bounds hold for all of them together, idle connections
/// included, because each shard has a fixed share of them (``ConnectionShare``). A host stays on its home shard, where its
/// connections are warm, while that has little to do; beyond ``spreadsFrom`` transfers there, a host of HTTP/1.1 gets the shard
/// with the fewest. A host of HTTP/2 has one connection, and so one shard.
final class HostQueue<Key: Hashable, Item> {
    /// Names one item, waiting or started, until it is removed or finished.
    ///
    /// `@unchecked`: from any thread only ``multiplexes`` is read, which is atomic.
    struct Ticket: @unchecked Sendable {
        fileprivate let lane: Lane
        fileprivate let number: UInt64
        /// Whether the item has started, or waits.
        let isStarted: Bool
        /// Where the item runs; 0 for one that waits.
        var shard = 0

        /// Whether the host multiplexes; `nil` until its first response.
        var multiplexes: Bool? { lane.multiplexes }
    }

    fileprivate final class Lane {
        let key: Key
        /// Where the host's connections are, as long as they are few.
        var home: Int
        /// Items that started and did not finish, by shard.
        @exclusivity(unchecked) var activeOn: [Int]
        @exclusivity(unchecked) var waiting = FIFO<(number: UInt64, item: Item?)>()
        /// Waiting items that were not removed.
        @exclusivity(unchecked) var live = 0
        @exclusivity(unchecked) var active = 0
        /// -1 for what is not known. Atomic, because tickets show it to the threads of all shards.
        private let answer = Atomic(-1)
        /// Whether the lane stands in `turns`.
        @exclusivity(unchecked) var isListed = false

        init(key: Key, home: Int, shards: Int) {
            self.key = key
            self.home = home
            activeOn = Array(repeating: 0, count: shards)
        }

        var multiplexes: Bool? {
            get {
                let answer = answer.load(ordering: .relaxed)
                return answer < 0 ? nil : answer == 1
            }
            set { answer.store(newValue.map { $0 ? 1 : 0 } ?? -1, ordering: .relaxed) }
        }
    }

    /// Items of a host of which it is not known what it speaks. libcurl holds them back until the first one has a connection, and
    /// does not show for how long.
    static var probeLimit: Int { 8 }

    /// Transfers on a host's home shard from which on others are used. A loop is done with sixteen small answers in less than the
    /// time that another thread takes to wake up and a connection to open.
    static var spreadsFrom: Int { 16 }

    private let connections: Int
    private let connectionsPerHost: Int
    private let shares: [ConnectionShare]
    private let streamsPerConnection: Int
    /// How many may wait.
    let capacity: Int

    @exclusivity(unchecked) private var lanes: [Key: Lane] = [:]
    @exclusivity(unchecked) private var recent: Lane?
    @exclusivity(unchecked) private var turns = FIFO<Lane>()
    @exclusivity(unchecked) private var lastNumber: UInt64 = 0
    @exclusivity(unchecked) private var usedConnections = 0
    /// By shard: connections that its items need, and the items.
    @exclusivity(unchecked) private var used: [Int]
    @exclusivity(unchecked) private var running: [Int]
    /// The home of the next host, when there are several shards.
    private var nextHome = 0
    @exclusivity(unchecked) private var multiplexingHosts = 0

    /// Items that wait.
    @exclusivity(unchecked) private(set) var waiting = 0
    /// Items that started and did not finish.
    @exclusivity(unchecked) private(set) var active = 0

    /// - Parameter shards: no more than there are connections to a host, so that each has one.
    init(connections: Int, connectionsPerHost: Int, streamsPerConnection: Int, capacity: Int, shards: Int = 1) {
        self.connections = max(1, connections)
        self.connectionsPerHost = max(1, connectionsPerHost)
        let bounds = ConnectionShare(inAll: self.connections, perHost: self.connectionsPerHost)
        shares = (0..<shards).map { bounds.part($0, of: shards) }
        used = Array(repeating: 0, count: shards)
        running = used
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
        return Ticket(lane: lane, number: lastNumber, isStarted: false)
    }

    /// Lets an item start at once that would be the next; `nil` where others wait, or a bound is reached. Most items start
    /// and need not go through the lists of those that wait.
    ///
    /// - Parameters: as for ``enqueue(_:for:multiplexes:)``.
    func start(for key: Key, multiplexes: Bool? = nil) -> Ticket? {
        guard waiting == 0 else { return nil }
        let lane = lane(for: key)
        if lane.multiplexes == nil, let multiplexes { change(lane) { lane.multiplexes = multiplexes } }
        guard let shard = shard(for: lane) else {
            forgetIfIdle(lane)
            return nil
        }
        lastNumber += 1
        begin(lane, on: shard)
        return Ticket(lane: lane, number: lastNumber, isStarted: true, shard: shard)
    }

    /// Takes an item out that did not start yet.
    func remove(_ ticket: Ticket) {
        let lane = ticket.lane
        guard let index = lane.waiting.firstIndex(notBefore: { $0.number < ticket.number }),
            let found = lane.waiting[index], found.number == ticket.number, found.item != nil
        else { return }
        lane.waiting[index] = (ticket.number, nil)
        lane.live -= 1
        waiting -= 1
        // A caller that queues and cancels behind a stuck host must not make the list grow for ever.
        if lane.waiting.count > 64, lane.live * 2 < lane.waiting.count {
            lane.waiting.removeAll { $0.item == nil }
        }
        forgetIfIdle(lane)
    }

    /// The next item that may start; it counts as started from now on.
    func next() -> (item: Item, ticket: Ticket)? {
        guard waiting > 0 else { return nil }
        // Only a host that multiplexes can start something on a connection that it has already.
        if usedConnections >= connections, multiplexingHosts == 0 { return nil }
        for _ in 0..<turns.count {
            guard let lane = turns.popFirst() else { break }
            guard lane.live > 0, lane.active < limit(of: lane) else {
                lane.isListed = false
                forgetIfIdle(lane)
                continue
            }
            guard let shard = shard(for: lane), let (item, number) = popLive(lane) else {
                turns.append(lane)
                continue
            }
            lane.live -= 1
            waiting -= 1
            begin(lane, on: shard)
            if lane.live > 0 { turns.append(lane) } else { lane.isListed = false }
            return (item, Ticket(lane: lane, number: number, isStarted: true, shard: shard))
        }
        return nil
    }

    /// Ends a started item: another may start.
    func finish(_ ticket: Ticket) {
        guard ticket.lane.activeOn[ticket.shard] > 0 else { return }
        change(ticket.lane) {
            ticket.lane.active -= 1
            ticket.lane.activeOn[ticket.shard] -= 1
        }
        running[ticket.shard] -= 1
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
        case nil: min(Self.probeLimit, connectionsPerHost)
        }
    }

    private func connections(of lane: Lane, active: Int) -> Int {
        lane.multiplexes == true ? active / streamsPerConnection + (active % streamsPerConnection == 0 ? 0 : 1) : active
    }

    private func canStart(_ lane: Lane) -> Bool { shard(for: lane) != nil }

    /// Where another item of the lane may start now.
    private func shard(for lane: Lane) -> Int? {
        guard lane.active < limit(of: lane) else { return nil }
        if hasRoom(lane.home, lane), shares.count == 1 || running[lane.home] < Self.spreadsFrom { return lane.home }
        guard shares.count > 1 else { return nil }
        // One connection has one shard; another one where nothing runs on it.
        if lane.multiplexes != false, lane.active > 0 { return hasRoom(lane.home, lane) ? lane.home : nil }
        return shares.indices.filter { hasRoom($0, lane) }.min { running[$0] < running[$1] }
    }

    private func hasRoom(_ shard: Int, _ lane: Lane) -> Bool {
        let active = lane.activeOn[shard]
        guard lane.multiplexes == true || active < shares[shard].perHost else { return false }
        let added = connections(of: lane, active: active + 1) - connections(of: lane, active: active)
        return used[shard] + added <= shares[shard].inAll
    }

    private func begin(_ lane: Lane, on shard: Int) {
        if lane.active == 0 || lane.multiplexes != false { lane.home = shard }
        active += 1
        running[shard] += 1
        change(lane) {
            lane.active += 1
            lane.activeOn[shard] += 1
        }
    }

    private func popLive(_ lane: Lane) -> (Item, UInt64)? {
        while let (number, item) = lane.waiting.popFirst() {
            if let item { return (item, number) }
        }
        return nil
    }

    /// Changes what the counts of all lanes are made of.
    private func change(_ lane: Lane, _ body: () -> Void) {
        add(-1, of: lane)
        body()
        add(1, of: lane)
    }

    private func add(_ sign: Int, of lane: Lane) {
        for shard in shares.indices {
            let needed = sign * connections(of: lane, active: lane.activeOn[shard])
            used[shard] += needed
            usedConnections += needed
        }
        if lane.multiplexes == true { multiplexingHosts += sign }
    }

    private func list(_ lane: Lane) {
        guard !lane.isListed, lane.live > 0 else { return }
        lane.isListed = true
        turns.append(lane)
    }

    private func lane(for key: Key) -> Lane {
        // Most items are for the host of the one before; to compare it costs a sixth of looking it up.
        if let recent, recent.key == key { return recent }
        let lane = lanes[key] ?? makeLane(key)
        lanes[key] = lane
        recent = lane
        return lane
    }

    /// The first host is at home on the pool's home, others on one shard after the other.
    private func makeLane(_ key: Key) -> Lane {
        defer { nextHome = (nextHome + 1) % shares.count }
        return Lane(key: key, home: nextHome, shards: shares.count)
    }

    /// What is known about a host is worth keeping, but not for every host that was ever spoken to.
    private func forgetIfIdle(_ lane: Lane) {
        guard lanes.count > 256, lane.active == 0, lane.live == 0, !lane.isListed else { return }
        change(lane) { lane.multiplexes = nil }
        lanes[lane.key] = nil
        if recent === lane { recent = nil }
    }
}

/// How many connections a shard may have, those included that wait for a next use.
struct ConnectionShare: Equatable {
    let inAll, perHost: Int

    /// One of so many parts, which together are the whole.
    func part(_ index: Int, of count: Int) -> ConnectionShare {
        func part(_ whole: Int) -> Int { whole / count + (index < whole % count ? 1 : 0) }
        return ConnectionShare(inAll: part(inAll), perHost: part(perHost))
    }
}
