import CoreAPI
import Testing

@Suite("A pin set")
struct PinSetTests {
    private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test(
        "pins the hosts that its patterns name",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "EXAMPLE.com", true), ("example.com", "example.com.", true),
            ("example.com.", "example.com", true), ("example.com", "a.example.com", false),
            ("example.com", "badexample.com", false),
            ("*.example.com", "a.example.com", true), ("*.example.com", "a.example.com.", true),
            ("*.example.com", "example.com", false),
            ("*.example.com", "b.a.example.com", false), ("*.example.com", ".example.com", false),
            ("**.example.com", "b.a.example.com", true), ("**.example.com", "a.example.com", true),
            ("**.example.com", "example.com", true),
            ("**.example.com", "badexample.com", false),
        ])
    func patterns(pattern: String, host: String, isPinned: Bool) {
        #expect(PinSet([pattern: [Self.pin]]).pins(for: host).isEmpty == !isPinned)
    }

    @Test("joins what several patterns give")
    func several() {
        let other = "sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="
        let pins: PinSet = ["**.example.com": [other], "a.example.com": [Self.pin]]
        #expect(pins.pins(for: "a.example.com") == [Self.pin, other])
    }
}
