import CoreAPITesting
import Foundation
import HTTPTypes
import Testing

@testable import CoreAPI

@Suite("Tasks on the thread of the connections")
struct LoopExecutorTests {
    private let transport = CurlTransport()

    private func manager(_ server: LoopbackServer) -> NetworkManager<TestEndpoint> {
        Channel.test(server.url, transport: transport).manager()
    }

    /// On whatever executor the task prefers.
    @concurrent
    private static func isOnLoop() async -> Bool { LoopJobs.areOnThisThread }

    @Test("A caller that prefers it is resumed there; what the answer is decoded into is decoded elsewhere")
    func place() async throws {
        let server = try LoopbackServer.start { _ in .json(#"{"id": 7}"#) }
        let manager = manager(server)
        let decoding = ResponseDecoding<Bool> { _ in LoopJobs.areOnThisThread }
        #expect(await (try? manager.response(for: TestEndpoint("x"), decoding: decoding).value) == false)
        await withTaskExecutorPreference(transport.executor) {
            for _ in 0..<20 {
                #expect(await manager.response(for: TestEndpoint("x"), decoding: .data).text == #"{"id": 7}"#)
                #expect(await Self.isOnLoop())
                #expect(await (try? manager.response(for: TestEndpoint("x"), decoding: decoding).value) == false)
                #expect(await Self.isOnLoop())
            }
        }
        #expect(await !Self.isOnLoop())
        await transport.close()
    }

    @Test("A thousand calls of 64 tasks, a third of them cancelled, end once each")
    func many() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let manager = manager(server)
        let ends = Shared(0)
        await withTaskExecutorPreference(transport.executor) {
            await each(of: 1_000, atOnce: 64) { index in
                let call = Task(executorPreference: transport.executor) {
                    let response = await manager.response(for: TestEndpoint("x"), decoding: .data)
                    ends.change { $0 += 1 }
                    return response
                }
                if index % 3 == 0 { call.cancel() }
                let response = await call.value
                #expect(response.error == nil || (index % 3 == 0 && response.error?.isCancelled == true), "\(response.result)")
            }
        }
        #expect(ends.current == 1_000)
        #expect(transport.activeTransfers == 0)
        await transport.close()
    }

    @Test("Before the first request and after close they run elsewhere, the one that closes among them")
    func withoutThread() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let manager = manager(server)
        let label = await withTaskExecutorPreference(transport.executor) {
            #expect(await !Self.isOnLoop())
            #expect(await manager.response(for: TestEndpoint("x"), decoding: .data).text == "x")
            // An answer that comes before its task has begun to wait leaves it where it is.
            await Task.yield()
            #expect(await Self.isOnLoop())
            await transport.close()
            #expect(await !Self.isOnLoop())
            return await manager.response(for: TestEndpoint("x"), decoding: .data).transportError?.label
        }
        #expect(label == "closed")
        #expect(!transport.isRunning)
    }

    @Test("A task that keeps the thread busy delays other transfers and loses none")
    func busy() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let manager = manager(server)
        #expect(await manager.response(for: TestEndpoint("x"), decoding: .data).text == "x")
        let hog = Task(executorPreference: transport.executor) { _ = usleep(300_000) }
        await each(of: 20, atOnce: 20) { _ in
            #expect(await manager.response(for: TestEndpoint("x"), decoding: .data).text == "x")
        }
        await hog.value
        await transport.close()
    }

    @Test(
        "Up to eight pieces of tasks at once run there, one after the other; of more the thread runs none",
        arguments: [8, 9, 100])
    func many(pieces: Int) async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let manager = manager(server)
        let areOnLoop = await withTaskExecutorPreference(transport.executor) {
            #expect(await manager.response(for: TestEndpoint("x"), decoding: .data).text == "x")
            await Task.yield()
            #expect(await Self.isOnLoop())
            let loop = "\(pthread_self())"
            return await withTaskGroup { group in
                // None begins before the thread is free.
                for _ in 0..<pieces {
                    group.addTask { LoopJobs.areOnThisThread && "\(pthread_self())" == loop }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(areOnLoop == Array(repeating: pieces <= 8, count: pieces))
        await transport.close()
    }

    @Test("While many tasks have much to do, the connections go on")
    func freeThread() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let manager = manager(server)
        let (begun, gate) = (try Gate(), try Gate())
        let hogs = Task(executorPreference: transport.executor) {
            #expect(await manager.response(for: TestEndpoint("x"), decoding: .data).text == "x")
            await Task.yield()
            await withTaskGroup { group in
                for index in 0..<9 {
                    group.addTask {
                        guard index == 0 else { return }
                        begun.open()
                        for _ in 0..<10_000 where !gate.isOpen { _ = usleep(1_000) }
                    }
                }
            }
        }
        for _ in 0..<20_000 where !begun.isOpen { try await Task.sleep(for: .milliseconds(1)) }
        // The one that has much to do goes on for longer than the call may take.
        let patient = manager.attaching(Timeout(total: .seconds(5)))
        #expect(await patient.response(for: TestEndpoint("x"), decoding: .data).text == "x")
        gate.open()
        await hogs.value
        await transport.close()
    }

    @Test("An answer that came while a task kept the thread is not late")
    func notLate() async throws {
        let (gate, sent) = (try Gate(), try Gate())
        let executor = transport.executor
        // Begun by the server's thread, because a busy pool of threads might not come to it before the clock has run out.
        let server = try LoopbackServer.start { _ in
            Task(executorPreference: executor) {
                gate.open()
                for _ in 0..<20_000 where !sent.isOpen { _ = usleep(1_000) }
                _ = usleep(2_400_000)
            }
            return [.waitFor(gate), .sendHead(status: 204), .open(sent)]
        }
        let manager = manager(server).attaching(Timeout(idle: .seconds(2)))
        let error = await manager.response(for: TestEndpoint("x"), decoding: .nothing).error
        #expect(error == nil, "\(String(describing: error))")
        await transport.close()
    }
}
