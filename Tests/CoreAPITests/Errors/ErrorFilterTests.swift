import CoreAPI
import Foundation
import HTTPTypes
import Testing

@Suite("ErrorFilter")
struct ErrorFilterTests {
    @Test("brings the app's own error out intact, from a success as from a failure", arguments: [200, 401])
    func appError(status: Int) async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, body: #"{"code":7}"#))
        struct Envelope: Decodable { var code: Int? }
        channel.errorFilter = .envelope(Envelope.self) { envelope, _ in envelope.code.map(Trouble.init) }
        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.app(Trouble.self) == Trouble(code: 7))
        #expect(response.error?.context.head?.status.code == status)
        #expect(response.head?.status.code == status)
    }
}
