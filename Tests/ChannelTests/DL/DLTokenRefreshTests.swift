import DLInteractors
import DLNetworker
import NetworkerKitSandbox
import TestSupport

@Suite("DL: token refresh")
struct DLTokenRefreshTests {
    @Test("50 calls that are rejected at the same time cause one refresh")
    func once() async throws {
        try await withSandbox(.dl.at(.sandbox)) { server in
            for round in 1...2 {
                let pages = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<50 { group.addTask { try await DLOrderListInteractor().orderList(page: 2).page } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(pages == Array(repeating: 2, count: 50))
                #expect(server.tokensIssued == round)
                server.expireTokens()
            }
        }
    }

    private static func list() async -> Response<DLOrderListResponse> {
        await DLOrderListInteractor().networkManager.response(for: DLOrderEndpointItem.orderList(), as: DLOrderListResponse.self)
    }

    private static func noting(_ statuses: Shared<[Int]>) -> FunctionLogger {
        FunctionLogger { if case .head(_, let head) = $0 { statuses.change { $0.append(head.status.code) } } }
    }

    @Test("a call is sent twice when its token is stale, and once when it is not; the feature sees one attempt")
    func attempts() async throws {
        let statuses = Shared<[Int]>([])
        try await withSandbox(Channel.dl.at(.sandbox).with { $0.listeners = [Self.noting(statuses)] }) { _ in
            for _ in 0..<2 { #expect(await Self.list().attempts.map(\.status) == [200]) }
        }
        #expect(statuses.current == [401, 200, 200, 200], "the second is the refresh")
    }

    @Test("without an initial token, the first rejection fetches one")
    func bare() async throws {
        let statuses = Shared<[Int]>([])
        let channel = Channel.dl.at(.sandbox, credentials: ["DL_REFRESH_TOKEN": "dl-sandbox-refresh"])
        let response = try await withSandbox(channel.with { $0.listeners = [Self.noting(statuses)] }) { _ in await Self.list() }
        #expect(response.error == nil)
        #expect(statuses.current == [401, 200, 200])
    }

    @Test("a body of more than a megabyte is rejected in the channel's envelope")
    func tooLarge() async throws {
        let body: Parameters = ["refreshToken": String(repeating: "x", count: 3 << 20)]
        let failure = try await rejection(DLError.self, on: .dl.at(.sandbox)) {
            try await DLNetworker<Never>().networkManager.request(.post("auth/token", body: body))
        }
        #expect(failure.key == "body.too-large" && failure.httpStatus == 413)
    }

    @Test("a failed refresh fails every waiting call, and is tried only once for all of them")
    func failed() async throws {
        let transport = try HoldingTransport(holding: "/auth/token")
        let channel = Channel.dl.at(.sandbox, credentials: ["DL_REFRESH_TOKEN": "wrong", "DL_ACCESS_TOKEN": "stale"]).with {
            $0.transport = transport
        }
        try await withSandbox(channel) { server in
            let responses = await withTaskGroup(of: Response<DLOrderListResponse>.self) { group in
                for _ in 0..<20 { group.addTask { await Self.list() } }
                group.addTask {
                    try? await eventually("not all were rejected") { transport.rejections == 20 }
                    // Between the rejection and the wait there is no suspension but the first.
                    try? await Task.sleep(for: .milliseconds(100))
                    transport.open()
                    return await Self.list()
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.allSatisfy { $0.error?.app(DLError.self)?.key == "refresh.invalid" })
            #expect(responses.allSatisfy { $0.attempts.count == 1 })
            // One refresh for the twenty calls, and one for the later call.
            #expect(transport.arrivals <= 2)
            #expect(server.tokensIssued == 0)
        }
    }

    @Test("a waiting call that is cancelled ends at once; its refresh continues for the others")
    func cancelled() async throws {
        let transport = try HoldingTransport(holding: "/auth/token")
        let channel = Channel.dl.at(.sandbox).with { $0.transport = transport }
        try await withSandbox(channel) { server in
            let first = Task { await Self.list() }
            try await eventually("no refresh was begun") { transport.arrivals == 1 }
            let others = (0..<4).map { _ in Task { await Self.list() } }
            try await eventually("not all were rejected") { transport.rejections == 5 }
            first.cancel()
            let response = await first.value
            #expect(response.error?.isCancelled == true, "\(String(describing: response.error))")
            #expect(server.tokensIssued == 0, "it ended before the refresh did")
            transport.open()
            for other in others { #expect(await other.value.error == nil) }
            #expect(server.tokensIssued == 1)
            #expect(transport.arrivals == 1)
        }
    }

    @Test("a copy for another test begins with the initial token")
    func isolatedCopy() async throws {
        let channel = Channel.dl.at(.sandbox)
        try await withSandbox(channel) { server in
            _ = try await DLOrderListInteractor().orderList()
            let copy = channel.speaking(to: server).isolated(transport: CurlTransport())
            let response = await ChannelOverride.with(copy) { await Self.list() }
            await copy.close()
            #expect(response.error == nil)
            #expect(server.tokensIssued == 2)
        }
    }
}
