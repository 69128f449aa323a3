import CoreAPI
import Foundation
import HTTPTypes

/// Answers instead of a server.
struct StubTransport: Transport {
    let answer: @Sendable (Request) async -> (status: Int, body: String)

    func send(_ attempt: Attempt) async -> Reply {
        let (status, body) = await answer(attempt.request)
        return Reply(attempt, head: ResponseHead(status: .init(code: status)), body: .bytes(Data(body.utf8)))
    }
}
