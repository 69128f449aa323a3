import CoreAPI
import Foundation
import HTTPTypes

/// Answers in the place of a server.
struct StubTransport: Transport {
    let answer: @Sendable (Request) async -> (status: Int, body: String)

    func send(_ request: Request) async -> Response<Data> {
        let (status, body) = await answer(request)
        let data = Data(body.utf8)
        return Response(
            request: request, head: ResponseHead(status: HTTPResponse.Status(code: status)), data: data, result: .success(data))
    }
}
