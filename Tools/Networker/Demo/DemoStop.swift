import DemoTours

/// One feature that the demo has used, and what came of it.
struct DemoStop: Sendable {
    let channel: String
    let feature: String
    /// The feature's own call, and those that it caused, such as a token's refresh.
    let calls: [RecordedCall]
    let result: Result<DemoSample, DemoFailure>

    /// The exchanges of all its calls, in the order in which they were sent.
    var exchanges: [Exchange] { calls.exchanges }

    /// The feature's own call: the one that began first.
    var call: RecordedCall? { calls.min { $0.started < $1.started } }

    /// Why it failed, or `nil`.
    var failure: DemoFailure? {
        guard case .failure(let failure) = result else { return nil }
        return failure
    }
}
