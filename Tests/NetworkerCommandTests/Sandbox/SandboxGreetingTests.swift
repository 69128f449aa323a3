import TestSupport

@testable import NetworkerKitDemo

@Suite("The text of a sandbox that is ready")
struct SandboxGreetingTests {
    @Test("has a command to paste, with --host if the port is not the usual one")
    func host() {
        func greeting(_ port: Int) -> String {
            SandboxGreeting(port: port, authorityPath: "/a.pem", channels: [("TY", "https://localhost:\(port)/ty")]).rendered()
        }
        #expect(greeting(8_443).contains("networker events ML orders/ml-o-1/events\n"))
        #expect(greeting(8_443).contains("networker ws ID orders/ID-48201/courier\n"))
        #expect(greeting(8_443).contains("networker call TY GET discovery/v1/products/search q=çanta size=2\n"))
        #expect(greeting(9_000).contains("size=2 --host https://localhost:9000/ty\n"))
        #expect(greeting(9_000).contains("curl --cacert /a.pem https://localhost:9000/health"))
    }
}
