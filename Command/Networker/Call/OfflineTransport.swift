import CoreAPI
import HTTPTypes

/// Answers each request with 204 and sends nothing, for `--offline`. The recorder has the request.
struct OfflineTransport: Transport {
    func send(_ attempt: Attempt) async -> RawResponse {
        RawResponse(attempt, head: ResponseHead(status: .noContent))
    }
}
