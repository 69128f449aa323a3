import Foundation
import HTTPTypes
import Testing

@testable import NetworkerKitSandbox

@Suite("The sandbox's routes") struct RoutingTests {
    private let router = SandboxRouter(channels: everySandboxChannel.map { $0(SandboxOptions()) })

    private func ask(
        _ method: String, _ target: String, headers: [String: String] = [:], body: Data? = Data()
    ) -> (status: Int, text: String) {
        let answer = router.answer(to: SandboxRequest(method, target, headers: headers.map { ($0.key, $0.value) }, body: body))
        return (answer.status.code, String(decoding: answer.body, as: UTF8.self))
    }

    private static let marketplace = ["X-API-Key": "ty-sandbox-key", "x-locale": "tr_TR", "x-culture": "tr-TR"]

    @Test("answer /health, and 404 outside of the channels", arguments: [("/health", 200, "ok"), ("/", 404, "not-found")])
    func own(target: String, status: Int, text: String) {
        let answer = ask("GET", target)
        #expect(answer.status == status && answer.text == #"{"status":"\#(text)"}"#)
        #expect(ask("POST", "/health").status == 404)
    }

    @Test(
        "answer an unknown path and an unknown method in the channel's envelope",
        arguments: [
            ("GET", "/ty/nowhere", Self.marketplace, #""code":"path-not-found""#),
            ("POST", "/ty/discovery/v1/products/1001", Self.marketplace, #""code":"path-not-found""#),
            ("GET", "/id/stores/more", ["x-session-id": "id-sandbox-session"], #""errorCode":"PATH_NOT_FOUND""#),
        ] as [(String, String, [String: String], String)])
    func unknown(method: String, target: String, headers: [String: String], text: String) {
        let answer = ask(method, target, headers: headers)
        #expect(answer.status == 404 && answer.text.contains(text))
    }

    @Test(
        "apply the channel's rule to unknown paths too",
        arguments: [
            ("/ty/nowhere", #""code":"invalid-api-key""#), ("/dl/nowhere", #""key":"token.missing""#),
            ("/dl/auth/token", #""key":"token.missing""#), ("/ml/nowhere", #""code":1400"#),
            ("/id/nowhere", #""errorCode":"SESSION_EXPIRED""#),
        ])
    func rule(target: String, text: String) {
        let answer = ask("GET", target)
        #expect(answer.status == 401 && answer.text.contains(text))
    }

    @Test("pass variable segments and query items to the handler")
    func values() {
        let known = ask("GET", "/ty/discovery/v1/products/1033/?x=1", headers: Self.marketplace)
        #expect(known.status == 200 && known.text.contains(#""name":"Bakır Cezve""#))
        let unknown = ask("GET", "/ty/discovery/v1/products/one", headers: Self.marketplace)
        #expect(unknown.status == 200 && unknown.text.contains(#""code":"product-not-found""#))
        let found = ask("GET", "/ty/discovery/v1/products/search?size=1&q=bak%C4%B1r+cezve&q=x", headers: Self.marketplace)
        #expect(found.text.contains(#""id":1033"#) && found.text.contains(#""size":1"#))
    }

    @Test(
        "answer a body that is malformed or too large in the channel's envelope",
        arguments: [(Data("{".utf8), 400, "body.malformed"), (nil, 413, "body.too-large")] as [(Data?, Int, String)])
    func body(_ body: Data?, status: Int, key: String) {
        let answer = ask("POST", "/dl/auth/token", body: body)
        #expect(answer.status == status && answer.text.contains(#""key":"\#(key)""#))
    }
}
