/// A parser under attack: its input, and the invariants that must hold for every input. Traps and reads out of bounds are
/// always findings.
struct FuzzTarget: Sendable {
    let name: String
    let check: @Sendable (inout FuzzInput) -> Void

    static let all: [FuzzTarget] = [
        .responseHead, .httpDate, .mediaType, .fixture, .address, .json, .decoder, .encoder, .certificate, .pinSet,
        .contentCoding, .secrets, .setCookie, .challenge, .lines, .events, .multipart, .digestField, .sidecar, .upload,
        .webSocket, .upgrade,
    ]
}

/// Ends the process if an invariant is broken, so that libFuzzer keeps the input.
func expect(_ holds: Bool, _ invariant: @autoclosure () -> String) {
    if !holds { fatalError("broken invariant: \(invariant())") }
}
