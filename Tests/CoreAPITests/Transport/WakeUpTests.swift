import Synchronization
import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

/// Counts how often a task is resumed while it waits for libcurl: each time costs a switch of threads.
@Suite("Wake-ups", .closing, .timeLimit(.minutes(1)))
struct WakeUpTests {
    /// Runs jobs on one thread, and counts them.
    private final class Counting: TaskExecutor {
        private let queue = DispatchQueue(label: "counting")
        private let jobs = Atomic(0)

        var count: Int { jobs.load(ordering: .acquiring) }

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.add(1, ordering: .acquiringAndReleasing)
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        /// Opens the gate once the running job has suspended, so that no response arrives before its task waits for it.
        func openWhenSuspended(_ gate: Gate) { queue.async { gate.open() } }
    }

    @Test("a buffered call costs one, whatever the size of its response", arguments: [2, 3_000_000], [false, true])
    func buffered(size: Int, secure: Bool) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.start(tls: secure ? ServerTLS() : nil) { request in
            let answer = ServerReply.ok(String(repeating: "x", count: size))
            return request.exchange == 0 ? answer : ServerReply([.waitFor(gate)] + answer.steps)
        }
        let requests = Requests(to: server)
        // The first opens the connection.
        #expect(try await requests.send(.get, server.url).data.count == size)
        let attempt = Attempt(try requests.make(.get, server.url))
        let executor = Counting()
        await withTaskExecutorPreference(executor) {
            let before = executor.count
            executor.openWhenSuspended(gate)
            let reply = await requests.transport.send(attempt)
            #expect(executor.count - before == 1)
            #expect(reply.failure == nil && reply.data.count == size)
            #expect(reply.metrics?.httpVersion == (secure ? "HTTP/2" : "HTTP/1.1"))
        }
    }

    @Test("a streamed call costs one for its head, and at most one for each chunk and for the end")
    func streamed() async throws {
        let (first, rest) = (try Gate(), try Gate())
        let server = try LoopbackServer.start { request in
            guard request.path == "/stream" else { return .ok() }
            let head = ServerReply.Step.sendHead(status: 200, headers: ["Content-Length": "2000000"])
            return [.waitFor(first), head, .waitFor(rest), .sendBody(Data(count: 2_000_000))]
        }
        let transport = CurlTransport()
        let channel = Channel.test(server, transport: transport)
        #expect(await channel.manager.response(for: TestEndpoint("warm"), as: .nothing).error == nil)
        let call = Call(PreparedChannel(channel), TestEndpoint("stream"), ResponseDecoding<Body>.stream)
        let request = Request(call: call, method: .get, url: try HTTPURL(server.url + "/stream"))
        let executor = Counting()
        try await withTaskExecutorPreference(executor) {
            let before = executor.count
            executor.openWhenSuspended(first)
            let reply = await transport.send(Attempt(request))
            #expect(executor.count - before == 1)
            executor.openWhenSuspended(rest)
            var (chunks, bytes) = (0, 0)
            for try await chunk in reply.body {
                chunks += 1
                bytes += chunk.count
            }
            #expect(bytes == 2_000_000)
            #expect((2...chunks + 2).contains(executor.count - before), "\(chunks) chunks")
        }
    }
}
