import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("The queue of a transport")
struct HostQueueTests {
    typealias Queue = HostQueue<String, Int>

    private func queue(_ connections: Int = 64, perHost: Int = 2, streams: Int = 3, capacity: Int = 100) -> Queue {
        Queue(connections: connections, connectionsPerHost: perHost, streamsPerConnection: streams, capacity: capacity)
    }

    private func start(_ queue: Queue) -> [(item: Int, ticket: Queue.Ticket)] {
        var started: [(item: Int, ticket: Queue.Ticket)] = []
        while let next = queue.next() { started.append(next) }
        return started
    }

    @Test("A host gets its connections; after that the queue is first in, first out")
    func order() throws {
        let queue = queue()
        for item in 0..<5 { #expect(queue.enqueue(item, for: "a") != nil) }
        let first = start(queue)
        #expect(first.map(\.item) == [0, 1])
        #expect(queue.waiting == 3 && queue.active == 2)
        queue.finish(first[0].ticket)
        #expect(start(queue).map(\.item) == [2])
    }

    @Test("With an empty queue an item starts at once if there is room; an item never overtakes another")
    func atOnce() throws {
        let queue = queue(3, perHost: 2)
        let tickets = try [#require(queue.start(for: "a")), #require(queue.start(for: "a"))]
        #expect(queue.start(for: "a") == nil)
        #expect(queue.active == 2 && queue.waiting == 0)
        #expect(queue.enqueue(1, for: "a") != nil)
        // There is room for "b", but "a" waits.
        #expect(queue.start(for: "b") == nil)
        #expect(start(queue).isEmpty)
        queue.finish(tickets[0])
        #expect(start(queue).map(\.item) == [1])
        #expect(queue.start(for: "b", multiplexes: true)?.multiplexes == true)
        #expect(queue.start(for: "c") == nil)
        #expect(queue.active == 3)
    }

    @Test("Hosts take turns, so many items of one host do not delay another")
    func fairness() {
        let queue = queue(2, perHost: 2)
        for item in 0..<10 { _ = queue.enqueue(item, for: "crowd") }
        _ = queue.enqueue(100, for: "lone")
        #expect(start(queue).map(\.item) == [0, 100])
    }

    @Test("A host that multiplexes gets its streams, which count as one connection")
    func multiplexing() {
        let queue = queue(2, perHost: 2, streams: 6)
        for item in 0..<10 { _ = queue.enqueue(item, for: "h2") }
        let first = start(queue)
        #expect(first.count == 2)
        queue.learn(first[0].ticket, multiplexes: true)
        #expect(first[0].ticket.multiplexes == true)
        #expect(start(queue).map(\.item) == [2, 3, 4, 5])
        for item in 100..<103 { _ = queue.enqueue(item, for: "other") }
        #expect(start(queue).map(\.item) == [100])
        for entry in first { queue.finish(entry.ticket) }
        #expect(start(queue).map(\.item) == [6, 7])
    }

    @Test("An unknown host gets only a few connections, a host without multiplexing all of its own at once")
    func probeLimit() {
        let queue = queue(perHost: 20)
        for item in 0..<30 { _ = queue.enqueue(item, for: "unknown") }
        let first = start(queue)
        #expect(first.count == Queue.probeLimit)
        queue.learn(first[0].ticket, multiplexes: false)
        #expect(start(queue).count == 20 - Queue.probeLimit)
        for item in 0..<30 { _ = queue.enqueue(item, for: "plain", multiplexes: false) }
        #expect(start(queue).count == 20)
    }

    @Test("A removed item does not start, and frees its position in the queue")
    func removal() throws {
        let queue = queue(perHost: 1, capacity: 2)
        _ = queue.enqueue(0, for: "a")
        let running = start(queue)
        let one = try #require(queue.enqueue(1, for: "a"))
        _ = try #require(queue.enqueue(2, for: "a"))
        #expect(queue.enqueue(3, for: "a") == nil)
        queue.remove(one)
        queue.remove(one)
        #expect(queue.waiting == 1)
        #expect(queue.enqueue(4, for: "a") != nil)
        queue.finish(running[0].ticket)
        #expect(start(queue).map(\.item) == [2])
    }

    @Test("With a capacity of zero, an item that can start at once still starts")
    func noCapacity() {
        let queue = queue(perHost: 1, capacity: 0)
        #expect(queue.enqueue(0, for: "a") != nil)
        #expect(start(queue).count == 1)
        #expect(queue.enqueue(1, for: "a") == nil)
        #expect(queue.enqueue(2, for: "b") != nil)
    }

    @Test("100,000 items that are added and cancelled behind a stuck host take linear time")
    func manyCancelled() {
        let queue = queue(perHost: 1, capacity: 1_000_000)
        _ = queue.enqueue(-1, for: "a")
        _ = start(queue)
        let clock = ContinuousClock()
        let took = clock.measure {
            let tickets = (0..<100_000).compactMap { queue.enqueue($0, for: "a") }
            for ticket in tickets.reversed() { queue.remove(ticket) }
        }
        #expect(queue.waiting == 0)
        #expect(took < .seconds(20))
    }

    @Test("Invalid limits are replaced by the smallest valid ones")
    func nonsense() {
        let queue = HostQueue<String, Int>(connections: -1, connectionsPerHost: 0, streamsPerConnection: .max, capacity: -5)
        #expect(queue.enqueue(1, for: "a") != nil)
        let started = start(queue)
        #expect(started.count == 1)
        queue.learn(started[0].ticket, multiplexes: true)
        #expect(queue.enqueue(2, for: "a") != nil)
        #expect(start(queue).count == 1)
    }

    @Test("After any mix of events no item is lost, started twice or beyond the limits", arguments: 0..<20 as Range<UInt64>)
    func random(_ seed: UInt64) throws {
        var random = SplitMix(seed)
        let queue = queue(5, perHost: 2, streams: 4)
        var waiting: [Int: Queue.Ticket] = [:]
        var active: [Int: Queue.Ticket] = [:]
        var seen = Set<Int>()
        for item in 0..<2_000 {
            if let ticket = queue.enqueue(item, for: "host\(Int.random(in: 0..<6, using: &random))") { waiting[item] = ticket }
            if Bool.random(using: &random), let (item, ticket) = waiting.randomElement(using: &random) {
                queue.remove(ticket)
                waiting[item] = nil
            }
            while Bool.random(using: &random), let (item, ticket) = queue.next() {
                #expect(seen.insert(item).inserted)
                #expect(waiting.removeValue(forKey: item) != nil)
                active[item] = ticket
                if Int.random(in: 0..<10, using: &random) == 0 { queue.learn(ticket, multiplexes: Bool.random(using: &random)) }
            }
            if active.count > 8, let (item, ticket) = active.randomElement(using: &random) {
                queue.finish(ticket)
                active[item] = nil
            }
            #expect(queue.waiting == waiting.count && queue.active == active.count)
        }
        for ticket in active.values { queue.finish(ticket) }
        while let (item, ticket) = queue.next() {
            #expect(waiting.removeValue(forKey: item) != nil)
            queue.finish(ticket)
        }
        #expect(waiting.isEmpty && queue.waiting == 0 && queue.active == 0)
    }
}

@Suite("The queue of a pool that two loops serve")
struct ShardedQueueTests {
    typealias Queue = HostQueue<String, Int>

    @Test("Two shards: a host with few requests stays on its own shard, and the limits apply to both together")
    func shards() throws {
        let queue = Queue(connections: 100, connectionsPerHost: 41, streamsPerConnection: 100, capacity: 100, shards: 2)
        let tickets = (0..<50).compactMap { _ in queue.start(for: "a", multiplexes: false) }
        #expect(tickets.count == 41 && tickets.prefix(Queue.spreadThreshold).allSatisfy { $0.shard == 0 })
        #expect(tickets.count { $0.shard == 0 } == 21 && tickets.count { $0.shard == 1 } == 20)
        #expect(queue.enqueue(1, for: "a") != nil && queue.next() == nil)
        // A free position on the other shard is as good as one at home.
        queue.finish(try #require(tickets.last { $0.shard == 1 }))
        #expect(queue.next()?.ticket.shard == 1)
    }

    @Test("Two shards: a host that multiplexes, or may, uses one of them, and the next host the other")
    func shardOfStreams() throws {
        let queue = Queue(connections: 2, connectionsPerHost: 2, streamsPerConnection: 60, capacity: 100, shards: 2)
        let scout = try #require(queue.start(for: "a"))
        #expect(queue.start(for: "a") == nil)
        queue.learn(scout, multiplexes: true)
        let streams = (0..<100).compactMap { _ in queue.start(for: "a") }
        #expect(streams.count == 59 && streams.allSatisfy { $0.shard == scout.shard })
        #expect(try #require(queue.start(for: "b", multiplexes: true)).shard != scout.shard)
        #expect(queue.start(for: "c", multiplexes: true) == nil)
        for ticket in streams + [scout] { queue.finish(ticket) }
        // The connection of an idle host may be closed for another host's.
        #expect(queue.start(for: "c", multiplexes: true)?.shard == scout.shard)
    }

    @Test("The parts of a limit add up to the limit", arguments: [1, 2, 3, 4])
    func parts(count: Int) {
        let whole = ConnectionShare(inAll: 10, perHost: 7)
        let parts = (0..<count).map { whole.part($0, of: count) }
        #expect(parts.reduce(0) { $0 + $1.inAll } == 10 && parts.reduce(0) { $0 + $1.perHost } == 7)
        #expect(parts.allSatisfy { $0.perHost > 0 })
    }
}
