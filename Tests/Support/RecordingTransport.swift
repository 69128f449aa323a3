public import CoreAPI
internal import Foundation

/// Records its requests. A function or another transport responds.
public final class RecordingTransport: Transport {
    private let sent = Mutex<[Request]>([])
    private let next: any Transport

    public init(_ next: any Transport) { self.next = next }

    /// Answers by a function, for tests of the stages above the wire.
    public convenience init(_ answer: @escaping @Sendable (Request) async -> Response<Data>) {
        self.init(Answering(answer: answer))
    }

    public convenience init(status: Int = 200, body: String = "{}", headers: HTTPFields = [:]) {
        self.init { .answer(to: $0, status: status, body: body, headers: headers) }
    }

    /// Answers with the statuses in order, then with the last one.
    public convenience init(statuses: [Int], body: String = "{}") {
        self.init { .answer(to: $0, status: statuses[min($0.attempt, statuses.count) - 1], body: body) }
    }

    public var requests: [Request] { sent.withLock { $0 } }

    public func send(_ attempt: Attempt) async -> RawResponse {
        sent.withLock { $0.append(attempt.request) }
        return await next.send(attempt)
    }

    public func close() async { await next.close() }

    private struct Answering: Transport {
        let answer: @Sendable (Request) async -> Response<Data>
        func send(_ attempt: Attempt) async -> RawResponse { RawResponse(await answer(attempt.request)) }
    }
}

extension Request {
    public var bodyText: String? { if case .bytes(let data) = body { String(decoding: data, as: UTF8.self) } else { nil } }

    /// The method, the target and the body, as in `POST /orders {"id":1}`.
    public var line: String { "\(method.rawValue) \(url.target)" + (bodyText.map { " \($0)" } ?? "") }
}

extension Response<Data> {
    public static func answer(
        to request: Request, status: Int = 200, body: String = "{}", headers: HTTPFields = [:]
    ) -> Response<Data> {
        let head = ResponseHead(status: .init(code: status), headers: headers)
        return Response(request: request, head: head, data: Data(body.utf8), result: .success(Data(body.utf8)))
    }
}
