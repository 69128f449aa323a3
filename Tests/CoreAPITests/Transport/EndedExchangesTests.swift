import Synchronization
import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Finished exchanges")
struct EndedTransfersTests {
    private let requests = Requests(CurlTransport())

    @Test("are all resumed once, before the first handle is returned")
    func together() throws {
        let connections = LoopConnections()
        let exchanges = try (0..<3).map { _ in
            Exchange(
                try PreparedRequest(Attempt(requests.make(.get, "http://127.0.0.1")), deadline: 60_000_000_000))
        }
        var ended = EndedExchanges()
        for exchange in exchanges {
            let handle: CurlHandle = try #require(CurlHandle(connections))
            ended.append(exchange, .collected(.cancelled), handle, isSound: false)
        }
        #expect(!exchanges.contains { $0.isOver.load(ordering: .acquiring) })
        ended.resume()
        #expect(exchanges.allSatisfy { $0.isOver.load(ordering: .acquiring) })
        var released = 0
        ended.release { _, isSound in
            released += 1
            #expect(!isSound)
        }
        ended.release { _, _ in Issue.record("given back a second time") }
        #expect(released == 3)
    }
}
