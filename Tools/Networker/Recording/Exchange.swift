import CoreAPI
import HTTPTypes

/// One request that was sent, and its result.
struct Exchange: Sendable {
    /// The request as sent: adapted and complete.
    let request: Request
    let endpoint: String
    let sentAt: ContinuousClock.Instant
    /// The call's pause before this request.
    let pause: Duration
    /// `nil` without an answer.
    var head: ResponseHead?
    var metrics: TransferMetrics?
    /// The error of the answer, or of the missing answer.
    var error: APIClientError?

    var status: Int? { head?.status.code }
}

extension [RecordedCall] {
    /// The exchanges of all calls, in the order in which they were sent. A token's refresh comes between the refused attempt
    /// and the next one.
    var exchanges: [Exchange] {
        flatMap(\.exchanges).sorted { $0.sentAt < $1.sentAt }
    }
}
