import CoreAPI
import Foundation
import HTTPTypes
import Testing

@Suite("Secrets are never printed by accident")
struct PrintingTests {
    @Test("no request, response or event prints a secret by accident")
    func printing() async throws {
        let transport = RecordingTransport(headers: [.setCookie: "a=s3cret"])
        let modifiers: [any RequestModifier] = [Header("Authorization", "Bearer s3cret"), QueryItem("api_key", "s3cret")]
        let manager = Channel.test("https://h.example", transport: transport).manager()
        let endpoint = TestEndpoint(headers: ["Cookie": "s3cret"], params: ["password": "s3cret"], modifiers: modifiers)
        let response = await manager.response(for: endpoint, as: .data)
        let request = try #require(response.request)
        let credential = ChannelCredentials(["V": "s3cret"])
        var text = "\(request) \(response) \(modifiers) \(NetworkEvent.sending(request)) \(credential)"
        text += "\(NetworkEvent.finished(response.with(.success(())))) \(String(reflecting: request))"
        text += String(reflecting: response) + String(reflecting: credential)
        dump(credential, to: &text)
        // All views that a debugger or a failed expectation would use.
        var bearing = request.call.channel
        bearing.modifiers = modifiers
        bearing.environment.commonHeaders = ["Authorization": "Bearer s3cret"]
        bearing.attemptMiddleware = [BearerAuthentication(token: "s3cret") { _ in "s3cret" }]
        bearing.cookies = CookieJar()
        try bearing.cookies?.store("session=s3cret", from: HTTPURL("https://h.example"))
        dump(bearing, to: &text)
        dump(request, to: &text)
        dump(response, to: &text)
        text += "\(request.wire) \(String(reflecting: request.wire))"
        dump(request.wire, to: &text)
        let secrets = try await manager.response(for: endpoint, as: .data).value
        let reply = Reply(Attempt(request), head: response.head, body: .bytes(secrets + Data("s3cret".utf8)))
        text += "\(reply)"
        dump(reply, to: &text)
        dump(Attempt(request), to: &text)
        dump(modifiers, to: &text)
        dump(Body.bytes(Data("s3cret".utf8)), to: &text)
        dump(try Authorization.basic(user: "u", password: "s3cret"), to: &text)
        dump(ErrorContext(request, head: response.head, body: Data("s3cret".utf8)), to: &text)
        dump(APIClientError.transport(.closed, ErrorContext(request, head: response.head)), to: &text)
        let basic = Data("u:s3cret".utf8).base64EncodedString()
        #expect(!text.contains(basic) && !text.filter { !$0.isWhitespace }.contains("-115-51-99-114"), "\(text)")
        #expect(!text.contains("s3cret"), "\(text)")
        #expect(text.contains("thing"))
    }
}
