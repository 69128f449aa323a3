import Synchronization
import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Handles between two exchanges")
struct CurlHandlePoolTests {
    @Test("A handle is reused only for a request with the same settings")
    func reuse() throws {
        let pool = Pool(capacity: 8)
        let (reader, writer) = (try pool.taken("GET"), try pool.taken("POST"))
        #expect(reader !== writer)
        pool.put(reader)
        pool.put(writer)
        #expect(pool.take("PUT")?.form == nil)
        #expect(pool.take("GET") === reader)
        #expect(pool.take("GET")?.form == nil)
        #expect(pool.take("POST") === writer)
    }

    @Test("A handle with missing settings, or settings for one exchange only, is not reused")
    func spent() throws {
        let pool = Pool(capacity: 8)
        let halfway = try #require(pool.take("GET"))
        pool.put(halfway)
        let second = try pool.taken("GET")
        #expect(second !== halfway)
        try second.forbidReuse()
        pool.put(second)
        #expect(pool.take("GET") !== second)
    }

    @Test("At most the allowed number is kept, and the oldest is dropped first")
    func bound() throws {
        let pool = Pool(capacity: 2)
        var handles = try (0..<3).map { _ in try pool.taken("GET") }
        weak let oldest = handles.first
        for handle in handles { pool.put(handle) }
        handles.removeFirst()
        #expect(oldest == nil)
        #expect(pool.take("GET") === handles[1])
        #expect(pool.take("GET") === handles[0])
    }
}

private final class Pool {
    private var pool: CurlHandlePool

    init(capacity: Int) { pool = CurlHandlePool(capacity: capacity, connections: LoopConnections()) }

    private func form(_ method: String) -> CurlHandle.Form {
        CurlHandle.Form(scheme: .http, method: method, isUpload: method != "GET", streamsBody: false)
    }

    func take(_ method: String) -> CurlHandle? { pool.take(form(method)) }
    func put(_ handle: CurlHandle) { pool.put(handle) }

    /// A handle in its state after an exchange.
    func taken(_ method: String) throws -> CurlHandle {
        let handle = try #require(take(method))
        handle.form = form(method)
        return handle
    }
}

@Suite("The first field of a head with a reused handle")
struct FirstFieldCheckTests {
    /// libcurl's behaviour for a line after the first one: it passes the line in pieces, and keeps it unless one is rejected.
    private func passes(_ check: inout FirstFieldCheck, _ pieces: String...) -> Bool {
        for piece in pieces {
            var piece = piece
            guard piece.withUTF8({ check.mayKeep(UnsafeRawBufferPointer($0)) }) else { return false }
        }
        _ = check.lineCame()
        return true
    }

    /// After the status line, which is not passed.
    private func begun() -> FirstFieldCheck {
        var check = FirstFieldCheck(isNeeded: true)
        let isShown = check.lineCame()
        #expect(isShown == true && !check.isOver)
        return check
    }

    @Test(
        "A continuation line as the first header line is rejected, wherever the head begins",
        arguments: [" x: y\r\n", "\tx\r\n", " \r\n"])
    func rejected(_ line: String) {
        var check = begun()
        #expect(!passes(&check, line))
        check = begun()
        // An interim response without fields has no field to continue.
        for kept in ["\r\n", "HTTP/1.1 200 OK\r\n"] { #expect(passes(&check, kept)) }
        #expect(!passes(&check, line))
    }

    @Test("After the first field the check ends, also for the pieces of a long line")
    func over() {
        var check = begun()
        #expect(passes(&check, "HTTP/1.1: not a field to libcurl\r\n") && !check.isOver)
        #expect(passes(&check, "Host: a", " b", "\tc\r\n") && check.isOver)
        #expect(passes(&check, " folded\r\n"))
    }

    @Test("A libcurl without the defect has no check")
    func unneeded() {
        var check = FirstFieldCheck(isNeeded: false)
        #expect(check.isOver && passes(&check, " x\r\n"))
    }
}

/// A process without a free descriptor: this program again, with one test.
@Suite("Without a free descriptor", .closing, .timeLimit(.minutes(1)))
struct DescriptorTests {
    private static let variable = "NETWORKERKIT_USES_UP_DESCRIPTORS"
    private static let isWithout = ProcessInfo.processInfo.environment[variable] != nil

    #if canImport(Glibc)
    private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let descriptors = RLIMIT_NOFILE
    #endif

    @Test("the error names the reason", .enabled(if: !isWithout))
    func error() async throws {
        let outcome = try await Program.tests(of: "DescriptorTests", [Self.variable: "1"])
        let line = outcome.text.split(separator: "\n").first { $0.hasPrefix("rejected: ") }
        #expect(try #require(line, "\(outcome.text)").hasSuffix(": \(String(cString: strerror(EMFILE)))"))
    }

    @Test("The process without", .enabled(if: isWithout))
    func process() async throws {
        let (first, second) = (try LoopbackServer.start { _ in .ok() }, try LoopbackServer.start { _ in .ok() })
        let requests = Requests()
        // From then on the loop has its own descriptors.
        #expect(try await requests.send(.get, first.url).status == 200)
        var taken: [Int32] = []
        var limit = rlimit()
        #expect(getrlimit(Self.descriptors, &limit) == 0)
        limit.rlim_cur = 256
        #expect(setrlimit(Self.descriptors, &limit) == 0)
        while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
        let response = try await requests.send(.get, second.url)
        for descriptor in taken { close(descriptor) }
        print("rejected: \(response.transportError?.localizedDescription ?? "\(response)")")
    }
}

@Suite("Finished exchanges")
struct EndedTransfersTests {
    private let requests = Requests(CurlTransport())

    @Test("are all resumed once, before the first handle is returned")
    func together() throws {
        let kind = PoolKind(
            trust: .system, rejected: [], pinMode: .enforce, streamsBodies: false, limits: ConnectionLimits(Limits()))
        let pool = ConnectionPool(kind, loops: LoopGroup(loops: 1), library: .linked)
        let shard = PoolShard(0, share: ConnectionShare(inAll: 8, perHost: 8), loop: Loop(idleLifetime: .seconds(1)))
        let worker = try PoolWorker(of: pool, shard, PollSet(try #require(Wakeup())))
        let now = LoopClock.now()
        let exchanges = try (0..<3).map { _ in
            Exchange(try PreparedRequest(Attempt(requests.make(.get, "http://127.0.0.1")), deadline: now + 60_000_000_000))
        }
        for exchange in exchanges { worker.submit(exchange, now) }
        let handles = exchanges.compactMap(\.handle)
        for exchange in exchanges { worker.cancel(exchange, now) }
        #expect(!exchanges.contains { $0.isOver.load(ordering: .acquiring) })
        worker.resumeEnded()
        #expect(exchanges.allSatisfy { $0.isOver.load(ordering: .acquiring) })
        #expect(handles.count == 3)
        #expect(handles.allSatisfy { $0.isInMulti })
        worker.releaseEnded()
        #expect(!handles.contains { $0.isInMulti })
        for exchange in exchanges { exchange.isOver.store(false, ordering: .releasing) }
        worker.resumeEnded()
        #expect(!exchanges.contains { $0.isOver.load(ordering: .acquiring) }, "resumed a second time")
        worker.close()
    }
}
