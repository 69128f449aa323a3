import CoreAPI
import Foundation
import HTTPTypes
import Testing

@Suite("Nothing is printed by accident")
struct PrintingTests {
    @Test("no request, response or event prints a secret by accident")
    func printing() async throws {
        let transport = RecordingTransport(headers: [.setCookie: "a=s3cret"])
        let modifiers: [any RequestModifier] = [Header("Authorization", "Bearer s3cret"), QueryItem("api_key", "s3cret")]
        let manager = Channel.test("https://h.example", transport: transport).manager()
        let endpoint = TestEndpoint(headers: ["Cookie": "s3cret"], params: ["password": "s3cret"], modifiers: modifiers)
        let response = await manager.response(for: endpoint, decoding: .data)
        let request = try #require(response.request)
        let credential = Credential("s3cret", variable: "V")
        var text = "\(request) \(response) \(modifiers) \(NetworkEvent.sending(request)) \(credential)"
        text += "\(NetworkEvent.finished(response.with(.success(())))) \(String(reflecting: request))"
        text += String(reflecting: response) + String(reflecting: credential)
        dump(credential, to: &text)
        #expect(!text.contains("s3cret"), "\(text)")
        #expect(text.contains("thing"))
    }
}
