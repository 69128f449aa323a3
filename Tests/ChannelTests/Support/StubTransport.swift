import TestSupport

/// Answers instead of a server.
struct StubTransport: Transport {
    let answer: @Sendable (Request) async -> (status: Int, body: String)

    func send(_ attempt: Attempt) async -> RawResponse {
        let (status, body) = await answer(attempt.request)
        return RawResponse(attempt, head: ResponseHead(status: .init(code: status)), body: .bytes(Data(body.utf8)))
    }
}
