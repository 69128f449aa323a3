import CoreAPI
import CoreAPIHTTP
import Foundation
import HTTPTypes

/// Records its requests and responses by a function, for tests of the stages above the wire.
final class RecordingTransport: Transport {
    private let sent = Mutex<[Request]>([])
    private let answer: @Sendable (Request) async -> Response<Data>

    init(_ answer: @escaping @Sendable (Request) async -> Response<Data>) {
        self.answer = answer
    }

    /// Answers with one status and body.
    convenience init(status: Int = 200, body: String = "{}", headers: HTTPFields = [:]) {
        self.init { .answer(to: $0, status: status, body: body, headers: headers) }
    }

    /// Answers with the statuses in order, then with the last one.
    convenience init(statuses: [Int], body: String = "{}") {
        self.init { .answer(to: $0, status: statuses[min($0.attempt, statuses.count) - 1], body: body) }
    }

    var requests: [Request] { sent.withLock { $0 } }

    func send(_ attempt: Attempt) async -> RawResponse {
        sent.withLock { $0.append(attempt.request) }
        return RawResponse(await answer(attempt.request))
    }
}

extension Response<Data> {
    static func answer(to request: Request, status: Int = 200, body: String = "{}", headers: HTTPFields = [:]) -> Response<Data> {
        let head = ResponseHead(status: .init(code: status), headers: headers)
        return Response(request: request, head: head, data: Data(body.utf8), result: .success(Data(body.utf8)))
    }
}
