/// A parser under attack: what is fed to it, and what must hold whatever that was. Trapping and reading out of bounds are
/// findings without being asked for.
struct FuzzTarget: Sendable {
    let name: String
    let check: @Sendable (FuzzInput) -> Void

    static let all: [FuzzTarget] = [
        .responseHead, .httpDate, .mediaType, .fixture, .address, .json, .decoder, .encoder, .certificate, .pinSet,
        .contentCoding,
        .secrets,
        .setCookie,
        .challenge,
    ]
}

/// Ends the process when an invariant is broken, so that libFuzzer keeps the input.
func expect(_ holds: Bool, _ invariant: @autoclosure () -> String) {
    if !holds { fatalError("broken invariant: \(invariant())") }
}
