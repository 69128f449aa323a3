import NetworkerCommand
import NetworkerKitTours

/// One feature of the demo and its result.
struct DemoStop: Sendable {
    let channel: String
    let feature: String
    /// The feature's own call and the calls that it caused, such as a token's refresh.
    let calls: [RecordedCall]
    let result: Result<DemoSample, DemoFailure>

    /// The exchanges of all its calls, in the order in which they were sent.
    var exchanges: [Exchange] { calls.exchanges }

    /// The feature's own call: the one that began first.
    var call: RecordedCall? { calls.min { $0.started < $1.started } }

    /// The reason of a failure; `nil` for a success.
    var failure: DemoFailure? {
        guard case .failure(let failure) = result else { return nil }
        return failure
    }
}
