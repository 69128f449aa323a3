import CoreAPI
import HTTPTypes

/// One request that went on the wire, and what it came to.
struct Exchange: Sendable {
    /// As it was sent: adapted and complete.
    let request: Request
    let endpoint: String
    let sentAt: ContinuousClock.Instant
    /// How long the call waited before it.
    let pause: Duration
    /// `nil` when no answer came.
    var head: ResponseHead?
    var metrics: TransferMetrics?
    /// What was wrong with the answer, or with its absence.
    var error: APIClientError?

    var status: Int? { head?.status.code }
}

extension [RecordedCall] {
    /// The exchanges of all calls, in the order in which they were sent: a token's refresh stands between the attempt that was
    /// refused and the one that follows.
    var exchanges: [Exchange] {
        flatMap(\.exchanges).sorted { $0.sentAt < $1.sentAt }
    }
}
