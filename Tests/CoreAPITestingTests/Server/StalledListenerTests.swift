import TestSupport

#if os(Linux)
private func connect(to port: UInt16) -> RawClient.Failed? {
    do {
        _ = try RawClient(port: port, connectTimeout: .milliseconds(150))
        return nil
    } catch { return error as? RawClient.Failed }
}

@Suite("A stalled listener", .timeLimit(.minutes(1)))
struct StalledListenerTests {
    @Test("completes no connection")
    func stalls() async throws {
        let listener = try StalledListener()
        let port = listener.port
        let result = await onOwnThread { connect(to: port) }
        #expect(result == RawClient.Failed(call: "connect", code: EINPROGRESS))
        withExtendedLifetime(listener) {}
    }

    @Test("frees its port when it is released")
    func released() async throws {
        let port = try StalledListener().port
        // Rejected, or reused by another process, but not stalled.
        let result = await onOwnThread { connect(to: port) }
        #expect(result == nil || result?.code == ECONNREFUSED)
    }
}
#endif
