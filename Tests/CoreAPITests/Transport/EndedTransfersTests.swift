import HTTPTypes
import Synchronization
import Testing

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Finished transfers")
struct EndedTransfersTests {
    private let requests = Requests(CurlTransport())

    @Test("are all resumed once, before the first handle is returned")
    func together() throws {
        let connections = LoopConnections()
        let transfers = try (0..<3).map { _ in
            CurlTransfer(
                try PreparedRequest(Attempt(requests.make(.get, "http://127.0.0.1")), deadline: 60_000_000_000))
        }
        var ended = EndedTransfers()
        for transfer in transfers {
            let handle: CurlHandle = try #require(CurlHandle(connections))
            ended.append(transfer, .collected(.cancelled), handle, isSound: false)
        }
        #expect(!transfers.contains { $0.isOver.load(ordering: .acquiring) })
        ended.resume()
        #expect(transfers.allSatisfy { $0.isOver.load(ordering: .acquiring) })
        var released = 0
        ended.release { _, isSound in
            released += 1
            #expect(!isSound)
        }
        ended.release { _, _ in Issue.record("given back a second time") }
        #expect(released == 3)
    }
}
