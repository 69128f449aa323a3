import CoreAPI
import Foundation
import HTTPTypes
import Testing

@Suite("ResultHandler")
struct ResultHandlerTests {
    @Test("a result handler is told first, delays the caller and changes nothing, even when it throws")
    func resultHandler() async throws {
        let diary = Diary()
        var channel = Channel.test("https://h.example", transport: RecordingTransport(body: #"{"id":7}"#))
        channel.logger = NotingLogger(diary: diary)
        channel.resultHandler = ResultHandler { response in
            diary.write("told \(response.error == nil)")
            throw Trouble(code: 1)
        }
        let item: Item = try await channel.manager().request(endpoint: TestEndpoint())
        diary.write("caller")
        #expect(item.id == 7)
        #expect(diary.all == ["log sending", "told true", "log other", "log finished", "caller"])
    }
}
