import Testing

@testable import CoreAPI

@Suite("Handles between two transfers")
struct CurlHandlePoolTests {
    @Test("where libcurl can bear that, a handle serves again; no more are kept than may be")
    func reuse() throws {
        let pool = CurlHandlePool(capacity: 1)
        let first = try #require(pool.take())
        pool.put(first)
        #expect(pool.take() === first)

        let second = try #require(pool.take())
        #expect(second !== first)
        pool.put(first)
        pool.put(second)
        pool.prepare(isIdle: true)
        // One made ready and one kept, whichever they are.
        let kept = [pool.take(), pool.take()]
        #expect(kept.contains { $0 === first } && kept.contains { $0 === second })
        let further = pool.take()
        #expect(further != nil && further !== first && further !== second)
    }

    @Test("where it cannot, none serves twice, and an idle loop keeps none that has served")
    func freshness() throws {
        let pool = CurlHandlePool(capacity: 0)
        weak var first: CurlHandle?
        weak var second: CurlHandle?
        do {
            let (one, other) = (try #require(pool.take()), try #require(pool.take()))
            (first, second) = (one, other)
            pool.put(one)
            pool.put(other)
        }
        #expect(first != nil && second != nil)
        pool.prepare(isIdle: false)
        #expect((first == nil) != (second == nil), "one at a time while there is more to do")
        pool.prepare(isIdle: true)
        #expect(first == nil && second == nil)
        #expect(pool.take() != nil)
    }

    @Test("a handle has one owner, however many ask at once")
    func contention() async {
        let pool = CurlHandlePool(capacity: 4)
        let held = Held()
        let doubles = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var doubles = 0
                    for _ in 0..<200 {
                        guard let handle = pool.take() else { continue }
                        if !held.add(handle) { doubles += 1 }
                        pool.prepare(isIdle: false)
                        held.remove(handle)
                        pool.put(handle)
                    }
                    return doubles
                }
            }
            return await group.reduce(0, +)
        }
        #expect(doubles == 0)
        pool.drain()
    }
}

/// Who has a handle just now.
private final class Held: Sendable {
    private let handles = Mutex<Set<ObjectIdentifier>>([])

    /// - Returns: whether nobody had it.
    func add(_ handle: CurlHandle) -> Bool {
        let id = ObjectIdentifier(handle)
        return handles.withLock { $0.insert(id).inserted }
    }

    func remove(_ handle: CurlHandle) {
        let id = ObjectIdentifier(handle)
        handles.withLock { _ = $0.remove(id) }
    }
}
