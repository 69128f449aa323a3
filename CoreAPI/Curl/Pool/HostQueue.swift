internal import CoreAPICore
internal import Synchronization

/// Decides which exchange may start now: it limits the exchanges of one host and the connections of all. First come, first served
/// within a host; the hosts take turns. No I/O, no clock, no threads: its owner's lock guards it.
///
/// The kit has its own, because an exchange that waits inside libcurl looks like one that connects. And older libraries do not
/// report how long it waited (`CURLINFO_QUEUE_TIME_T`).
///
/// The protocol decides how many exchanges a host may have. One HTTP/1.1 connection carries one exchange. One HTTP/2 connection
/// carries many, and such a host gets one (RFC 9113 §9.1), because libcurl would otherwise open one for each further exchange.
/// The protocol is known after the host's first response, or if HTTP/2 is impossible. Until then the host gets only a few.
///
/// **Shards.** A pool that several loops serve has a shard on each. The limits apply to all of them together, idle connections
/// included, because each shard has a fixed share (``ConnectionShare``). A host stays on its home shard, where its connections
/// are warm, while that has little to do. Beyond ``spreadThreshold`` exchanges there, an HTTP/1.1 host uses the shard with the
/// fewest. An HTTP/2 host has one connection, and so one shard.
final class HostQueue<Key: Hashable, Item> {
    /// Identifies one item, waiting or started, until it is removed or finished.
    ///
    /// `@unchecked`: other threads read only ``multiplexes``, which is atomic.
    struct Ticket: @unchecked Sendable {
        fileprivate let host: Host
        fileprivate let number: UInt64
        let isStarted: Bool
        /// The shard where the item runs; 0 for a waiting item.
        var shard = 0
        /// Whether the host multiplexes; `nil` until its first response.
        var multiplexes: Bool? { host.multiplexes }
    }

    fileprivate final class Host {
        let key: Key
        /// The shard with the host's connections, while they are few.
        var home: Int
        @exclusivity(unchecked) var activeOn: [Int]
        @exclusivity(unchecked) var waiting = FIFO<(number: UInt64, item: Item?)>()
        var waitingCount = 0
        var active = 0
        /// -1 if unknown. Atomic, because the threads of all shards read it through tickets.
        private let known = Atomic(-1)
        var isListed = false

        init(key: Key, home: Int, shards: Int) {
            self.key = key
            self.home = home
            activeOn = Array(repeating: 0, count: shards)
        }

        var multiplexes: Bool? {
            get {
                let known = known.load(ordering: .relaxed)
                return known < 0 ? nil : known == 1
            }
            set { known.store(newValue.map { $0 ? 1 : 0 } ?? -1, ordering: .relaxed) }
        }
    }

    /// The limit for items of a host whose protocol is unknown. libcurl holds them back until the first one has a connection, and
    /// does not report for how long.
    static var probeLimit: Int { 8 }
    /// The number of exchanges on a host's home shard beyond which other shards are used. A loop handles sixteen small responses
    /// faster than another thread wakes up and opens a connection.
    static var spreadThreshold: Int { 16 }

    private let connections: Int
    private let connectionsPerHost: Int
    private let shares: [ConnectionShare]
    private let streamsPerConnection: Int
    private let capacity: Int
    @exclusivity(unchecked) private var hosts: [Key: Host] = [:]
    private var recent: Host?
    @exclusivity(unchecked) private var waitingHosts = FIFO<Host>()
    private var lastNumber: UInt64 = 0
    private var usedConnections = 0
    /// By shard: the connections that its items need, and the items.
    @exclusivity(unchecked) private var used: [Int]
    @exclusivity(unchecked) private var running: [Int]
    /// The home of the next host, if there are several shards.
    private var nextHome = 0
    private var multiplexingHosts = 0
    private(set) var waiting = 0
    private(set) var active = 0

    /// - Parameter shards: at most the number of connections to a host, so that each shard has one.
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

    /// Joins the queue, or returns `nil` if it is full. An item that can start at once is never rejected.
    ///
    /// - Parameter multiplexes: whether the host multiplexes, if known before its first response.
    func enqueue(_ item: Item, for key: Key, multiplexes: Bool? = nil) -> Ticket? {
        let host = host(for: key, multiplexes: multiplexes)
        guard waiting < capacity || (host.waitingCount == 0 && shard(for: host) != nil) else {
            forgetIfIdle(host)
            return nil
        }
        lastNumber += 1
        host.waiting.append((lastNumber, item))
        host.waitingCount += 1
        waiting += 1
        list(host)
        return Ticket(host: host, number: lastNumber, isStarted: false)
    }

    /// Starts an item at once if it would be the next; `nil` if others wait, or a limit is reached. Most items start in this way,
    /// without the lists of waiting items.
    func start(for key: Key, multiplexes: Bool? = nil) -> Ticket? {
        guard waiting == 0 else { return nil }
        let host = host(for: key, multiplexes: multiplexes)
        guard let shard = shard(for: host) else {
            forgetIfIdle(host)
            return nil
        }
        lastNumber += 1
        begin(host, on: shard)
        return Ticket(host: host, number: lastNumber, isStarted: true, shard: shard)
    }

    func remove(_ ticket: Ticket) {
        let host = ticket.host
        guard let index = host.waiting.firstIndex(notBefore: { $0.number < ticket.number }),
            let found = host.waiting[index], found.number == ticket.number, found.item != nil
        else { return }
        host.waiting[index] = (ticket.number, nil)
        host.waitingCount -= 1
        waiting -= 1
        // A caller that queues and cancels behind a stuck host must not make the list grow forever.
        if host.waiting.count > 64, host.waitingCount * 2 < host.waiting.count {
            host.waiting.removeAll { $0.item == nil }
        }
        forgetIfIdle(host)
    }

    /// The next item that may start; it counts as started from now on.
    func next() -> (item: Item, ticket: Ticket)? {
        guard waiting > 0 else { return nil }
        // Only a host that multiplexes can start an item on a connection that it already has.
        if usedConnections >= connections, multiplexingHosts == 0 { return nil }
        for _ in 0..<waitingHosts.count {
            guard let host = waitingHosts.popFirst() else { break }
            guard host.waitingCount > 0, host.active < limit(of: host) else {
                host.isListed = false
                forgetIfIdle(host)
                continue
            }
            guard let shard = shard(for: host), let (item, number) = popWaiting(host) else {
                waitingHosts.append(host)
                continue
            }
            host.waitingCount -= 1
            waiting -= 1
            begin(host, on: shard)
            if host.waitingCount > 0 { waitingHosts.append(host) } else { host.isListed = false }
            return (item, Ticket(host: host, number: number, isStarted: true, shard: shard))
        }
        return nil
    }

    func finish(_ ticket: Ticket) {
        guard ticket.host.activeOn[ticket.shard] > 0 else { return }
        change(ticket.host) {
            ticket.host.active -= 1
            ticket.host.activeOn[ticket.shard] -= 1
        }
        running[ticket.shard] -= 1
        active -= 1
        list(ticket.host)
        forgetIfIdle(ticket.host)
    }

    func learn(_ ticket: Ticket, multiplexes: Bool) {
        change(ticket.host) { ticket.host.multiplexes = multiplexes }
        list(ticket.host)
    }

    private func limit(of host: Host) -> Int {
        switch host.multiplexes {
        case true?: streamsPerConnection
        case false?: connectionsPerHost
        case nil: min(Self.probeLimit, connectionsPerHost)
        }
    }

    private func connections(of host: Host, active: Int) -> Int {
        host.multiplexes == true ? active / streamsPerConnection + (active % streamsPerConnection == 0 ? 0 : 1) : active
    }

    /// The shard where another item of the host may start now.
    private func shard(for host: Host) -> Int? {
        guard host.active < limit(of: host) else { return nil }
        if hasRoom(host.home, host), shares.count == 1 || running[host.home] < Self.spreadThreshold { return host.home }
        guard shares.count > 1 else { return nil }
        // One connection has one shard; another shard may be used if no item runs.
        if host.multiplexes != false, host.active > 0 { return hasRoom(host.home, host) ? host.home : nil }
        return shares.indices.filter { hasRoom($0, host) }.min { running[$0] < running[$1] }
    }

    private func hasRoom(_ shard: Int, _ host: Host) -> Bool {
        let active = host.activeOn[shard]
        guard host.multiplexes == true || active < shares[shard].perHost else { return false }
        let added = connections(of: host, active: active + 1) - connections(of: host, active: active)
        return used[shard] + added <= shares[shard].inAll
    }

    private func begin(_ host: Host, on shard: Int) {
        if host.active == 0 || host.multiplexes != false { host.home = shard }
        active += 1
        running[shard] += 1
        change(host) {
            host.active += 1
            host.activeOn[shard] += 1
        }
    }

    private func popWaiting(_ host: Host) -> (Item, UInt64)? {
        while let (number, item) = host.waiting.popFirst() {
            if let item { return (item, number) }
        }
        return nil
    }

    /// Changes values that the counts of all hosts depend on.
    private func change(_ host: Host, _ body: () -> Void) {
        add(-1, of: host)
        body()
        add(1, of: host)
    }

    private func add(_ sign: Int, of host: Host) {
        for shard in shares.indices {
            let needed = sign * connections(of: host, active: host.activeOn[shard])
            used[shard] += needed
            usedConnections += needed
        }
        if host.multiplexes == true { multiplexingHosts += sign }
    }

    private func list(_ host: Host) {
        guard !host.isListed, host.waitingCount > 0 else { return }
        host.isListed = true
        waitingHosts.append(host)
    }

    private func host(for key: Key, multiplexes: Bool?) -> Host {
        let host = host(for: key)
        if host.multiplexes == nil, let multiplexes { change(host) { host.multiplexes = multiplexes } }
        return host
    }

    private func host(for key: Key) -> Host {
        // Most items have the same host as the one before; comparing it costs a sixth of a lookup.
        if let recent, recent.key == key { return recent }
        let host = hosts[key] ?? makeHost(key)
        hosts[key] = host
        recent = host
        return host
    }

    /// The first host's home is the pool's home; other hosts get the shards in turn.
    private func makeHost(_ key: Key) -> Host {
        defer { nextHome = (nextHome + 1) % shares.count }
        return Host(key: key, home: nextHome, shards: shares.count)
    }

    /// Knowledge about a host is kept, but not for every host ever used.
    private func forgetIfIdle(_ host: Host) {
        guard hosts.count > 256, host.active == 0, host.waitingCount == 0, !host.isListed else { return }
        change(host) { host.multiplexes = nil }
        hosts[host.key] = nil
        if recent === host { recent = nil }
    }
}

/// How many connections a shard may have, idle ones included.
struct ConnectionShare: Equatable {
    let inAll, perHost: Int

    /// One of `count` parts, which together are the whole.
    func part(_ index: Int, of count: Int) -> ConnectionShare {
        func part(_ whole: Int) -> Int { whole / count + (index < whole % count ? 1 : 0) }
        return ConnectionShare(inAll: part(inAll), perHost: part(perHost))
    }
}

/// A first-in first-out list over an array, with amortised constant time at both ends.
///
/// `Array.removeFirst()` moves every remaining element, which makes emptying a queue of 10,000 quadratic.
struct FIFO<Element> {
    private var storage: [Element?] = []
    private var head = 0
    var count: Int { storage.count - head }

    mutating func append(_ element: Element) { storage.append(element) }

    mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        // Short queues mostly hold one element, and this takes a fifth of the work.
        if storage.count == 1 { return storage.removeLast() }
        let element = storage[head]
        storage[head] = nil
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: storage.capacity <= 1_024)
            head = 0
        } else if head >= 64, head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        storage = storage[head...].filter { $0.map { !isUnwanted($0) } ?? false }
        head = 0
    }

    /// The index of the first element that is not ordered before the searched one, in a sorted list.
    func firstIndex(notBefore isBefore: (Element) -> Bool) -> Int? {
        var low = head
        var high = storage.count
        while low < high {
            let middle = (low + high) / 2
            if let element = storage[middle], isBefore(element) { low = middle + 1 } else { high = middle }
        }
        return low < storage.count ? low : nil
    }

    subscript(index: Int) -> Element? {
        get { storage[index] }
        set { storage[index] = newValue }
    }
}
