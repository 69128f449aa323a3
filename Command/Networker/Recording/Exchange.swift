package import CoreAPI
import HTTPTypes

/// One request that was sent, and its result.
package struct Exchange: Sendable {
    /// The request as sent: adapted and complete.
    package let request: Request
    package let endpoint: String
    package let sentAt: ContinuousClock.Instant
    /// The call's pause before this request.
    package let pause: Duration
    /// `nil` without a response.
    package var head: ResponseHead?
    /// The response without its body.
    package var response: RawResponse?
    /// The error of the response, or of the missing answer.
    package var error: APIClientError?

    package var status: Int? { head?.status.code }
    /// Once the end of a streamed body was read, those of the whole exchange.
    package var metrics: ExchangeMetrics? { response?.metrics }

    /// The exchange's part in a call: `attempt 2`, `redirect`, `sent again` within an attempt, or the endpoint of another call
    /// that the call waited for, such as a token's refresh.
    ///
    /// - Parameters:
    ///   - earlier: the exchanges before it, of all calls.
    ///   - call: the call's identity.
    package func role(after earlier: some BidirectionalCollection<Exchange>, in call: String) -> String {
        guard request.call.id == call else { return request.redaction.redact(text: endpoint).escapingControls }
        guard let last = earlier.last(where: { $0.request.call.id == call }), last.request.attempt == request.attempt else {
            return "attempt \(request.attempt)"
        }
        return (300..<400).contains(last.status ?? 0) ? "redirect" : "sent again"
    }
    /// Whether it had HTTP/1.1 and a connection apart: for a body that the caller read as it arrived, or a WebSocket.
    package var isApart: Bool { request.call.streamsBody || status == 101 }
}

extension [RecordedCall] {
    /// The exchanges of all calls, in the order in which they were sent. A token's refresh comes between the rejected attempt
    /// and the next one.
    package var exchanges: [Exchange] {
        flatMap(\.exchanges).sorted { $0.sentAt < $1.sentAt }
    }
}
