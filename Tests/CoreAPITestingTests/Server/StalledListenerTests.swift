import CoreAPITesting
import Foundation
import Testing

#if os(Linux)
@Suite("A stalled listener", .timeLimit(.minutes(1)))
struct StalledListenerTests {
    @Test("completes no connection")
    func stalls() async throws {
        let listener = try StalledListener()
        #expect(throws: RawClient.Failed(call: "connect", code: EINPROGRESS)) {
            try RawClient(port: listener.port, connectTimeout: .milliseconds(150))
        }
    }

    @Test("frees its port when it is released")
    func released() throws {
        let port = try StalledListener().port
        // Refused, or reused by another process, but not stalled.
        do {
            _ = try RawClient(port: port, connectTimeout: .milliseconds(150))
        } catch let error as RawClient.Failed {
            #expect(error.code == ECONNREFUSED)
        }
    }
}
#endif
