import TestSupport

@Suite("The page about retries, timeouts and deadlines", .closing, .timeLimit(.minutes(1)))
struct RetryTests {
    @Test("a GET is repeated after 503, and the attempts can be watched")
    func attempts() async throws {
        let server = try LoopbackServer.start(script: [.status(503), .json(#"{"id": 7}"#)])
        let seen = Seen()
        let show: @Sendable (String) -> Void = { text in seen.change { $0 += text } }
        var channel = Channel.parcels
        channel.listeners = [
            FunctionLogger { event in
                guard case .retrying(let response, _) = event, let error = response.error else { return }
                show("attempt \(response.attempts.count): \(error.label)")
            }
        ]
        try await withChannel(channel, server: server) {
            let parcel = try await NetworkManager<Never>(channel: .parcels).request(.get("parcels/7"), as: Parcel.self)
            #expect(parcel == Parcel(id: 7))
        }
        #expect(seen.text == "attempt 1: verification.unacceptableStatus.503")
    }

    @Test("a POST is repeated only with a key, and each attempt has the same one", arguments: [false, true])
    func key(isKeyed: Bool) async throws {
        let server = try LoopbackServer.start(script: [.status(503), .json(#"{"id": 7}"#)])
        let channel = isKeyed ? Channel.pickups : .parcels
        await withChannel(channel, server: server) {
            let manager = NetworkManager<Never>(channel: channel)
            let response = await manager.response(
                for: TypedEndpoint.post("parcels", body: Parcel(id: 7)), as: .decodable(Parcel.self))
            #expect((response.error == nil) == isKeyed)
        }
        let keys = server.requests.map { $0.headers["idempotency-key"] }
        #expect(keys.count == (isKeyed ? 2 : 1))
        #expect(Set(keys).count == 1 && (keys[0] != nil) == isKeyed)
    }

    @Test("a pause beyond the deadline ends the call at once, with the response's error")
    func deadline() async throws {
        let server = try LoopbackServer.start { _ in .status(503, headers: ["Retry-After": "60"]) }
        await withChannel(.parcels, server: server) {
            let manager = NetworkManager<Never>(channel: .parcels)
            let quick = manager.attaching(Timeout(.seconds(20)))
            let response = await quick.response(for: TypedEndpoint.get("parcels/7"), as: .decodable(Parcel.self))
            #expect(response.error?.label == "verification.unacceptableStatus.503")
            #expect(response.attempts.count == 1)
        }
        #expect(server.requests.count == 1)
    }

    @Test("a server that says nothing ends in the timeout that ran out first", arguments: [true, false])
    func timeout(isIdle: Bool) async throws {
        let server = try LoopbackServer.start { _ in [.stall] }
        let timeout =
            isIdle
            ? Timeout(idle: .milliseconds(200), total: .seconds(30)) : Timeout(idle: .seconds(30), total: .milliseconds(200))
        await withChannel(.parcels, server: server, change: { $0.interceptors = [] }) {
            let manager = NetworkManager<Never>(channel: .parcels).attaching(timeout)
            let response = await manager.response(for: TypedEndpoint.get("parcels/7"), as: .nothing)
            #expect(response.error?.label == (isIdle ? "transport.timedOut.idle" : "transport.timedOut.total"))
        }
    }

    @Test("one line gives a silent server as long as URLSession does, and leaves the other clocks as they are")
    func patience() async throws {
        let server = try LoopbackServer.start { _ in .ok() }
        var channel = Channel.test(server)
        for idle in [30, 60] {
            let timeout = await channel.manager.response(for: .get("report"), as: .nothing).request?.timeout
            #expect(timeout == Timeout(connect: .seconds(10), idle: .seconds(idle), total: .seconds(300)))
            channel.modifiers = [Timeout(idle: .seconds(60))]
        }
    }

    @Test("the backend learns how long its caller waits")
    func remaining() async throws {
        let server = try LoopbackServer.start { _ in .ok() }
        try await withChannel(.parcels, server: server, change: { $0.interceptors = [RemainingTime()] }) {
            try await NetworkManager<Never>(channel: .parcels).request(.get("parcels/7"))
        }
        let left = try #require(server.requests.first?.headers["x-remaining-milliseconds"].flatMap(Int.init))
        #expect((1...30_000).contains(left))
    }

    @Test("a handler decides by the kind of error")
    func handler() async throws {
        let server = try LoopbackServer.start(script: [.status(423), .json(#"{"id": 7}"#)])
        let change: (inout Channel) -> Void = { channel in
            channel.errorHandler = CompositeErrorHandler(
                NoInternetErrorHandler(repetitions: 5, pause: .seconds(2)),
                StatusCodeErrorHandler(409, 423) { _ in .retryAfter(.milliseconds(100)) })
        }
        try await withChannel(.parcels, server: server, change: change) {
            let parcel = try await NetworkManager<Never>(channel: .parcels).request(.get("parcels/7"), as: Parcel.self)
            #expect(parcel == Parcel(id: 7))
        }
        #expect(server.requests.count == 2)
    }
}
