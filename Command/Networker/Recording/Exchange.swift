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
    /// `nil` without an answer.
    package var head: ResponseHead?
    package var metrics: TransferMetrics?
    /// The error of the answer, or of the missing answer.
    package var error: APIClientError?

    package var status: Int? { head?.status.code }
}

extension [RecordedCall] {
    /// The exchanges of all calls, in the order in which they were sent. A token's refresh comes between the refused attempt
    /// and the next one.
    package var exchanges: [Exchange] {
        flatMap(\.exchanges).sorted { $0.sentAt < $1.sentAt }
    }
}
