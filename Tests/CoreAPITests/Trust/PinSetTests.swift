import TestSupport

@testable import CoreAPICore

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

    @Test(
        "says which patterns fit no host, because they would pin nothing",
        arguments: [
            "https://api.example.com", "api.example.com:443", " example.com", "*", "*.*.example.com", "müller.de", "a/b", "",
            "*.",
            "exa mple.com", "api.example.com/v1", "*.::1", "*.[::1]", "**.127.0.0.1",
        ])
    func malformed(pattern: String) {
        let pins = [Self.pin(0), Self.pin(1)]
        #expect(PinSet([pattern: pins]).problems.count == 1)
        for sound in [
            "example.com", "EXAMPLE.com.", "*.example.com", "**.example.com", "127.0.0.1", "::1", "[::1]", "xn--mller-kva.de",
            "localhost",
        ] {
            #expect(PinSet([sound: pins]).problems.isEmpty, "\(sound)")
        }
    }

    private static func pin(_ byte: UInt8) -> String {
        "sha256/" + Data(repeating: byte, count: 32).base64EncodedString()
    }

    @Test("pins an IPv6 address, written with brackets or without", arguments: ["::1", "[::1]", "0:0::1", "[0000::0001]"])
    func address(pattern: String) throws {
        for text in ["[::1]", "[0:0::1]", "[0:0:0:0:0:0:0:1]", "[::0.0.0.1]"] {
            let host = try HTTPURL("https://\(text):8443/").host
            #expect(host == "[::1]" && PinSet([pattern: [Self.pin(0)]]).pins(for: host) == [Self.pin(0)])
        }
    }

    @Test("joins the pins of all matching patterns")
    func several() {
        let other = "sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="
        let pins: PinSet = ["**.example.com": [other], "a.example.com": [Self.pin]]
        #expect(pins.pins(for: "a.example.com") == [Self.pin, other])
    }
}
