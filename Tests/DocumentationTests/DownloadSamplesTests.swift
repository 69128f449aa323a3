import CoreAPITransfers
import TestSupport

@Suite("The samples of downloads", .closing)
struct DownloadSamplesTests {
    @Test("an export and a release are downloaded")
    func downloads() async throws {
        let server = try LoopbackServer.test { _ in .ok(Data("abc".utf8)) }
        let manager = server.manager
        let file = temporaryFile("sample")
        #expect(try await fetchExport("7 a", to: file, through: manager).length == 3)
        #expect(server.requests[0].path == "/exports/7%20a")
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        try await fetchRelease(abc, to: file, through: manager)
        await #expect(throws: APIClientError.self) {
            try await fetchRelease(String(abc.reversed()), to: file, through: manager)
        }
        #expect(try Data(contentsOf: file) == Data("abc".utf8))
    }
}
