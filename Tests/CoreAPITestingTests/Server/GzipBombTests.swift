import TestSupport

@Suite("A gzip bomb", .closing, .timeLimit(.minutes(1)))
struct GzipBombTests {
    private func body(decodedBytes: Int) throws -> Data {
        let server = try LoopbackServer.test { _ in .gzipBomb(decodedBytes: decodedBytes) }
        let client = try RawClient(server, sending: "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        let answer = try client.receiveToEnd()
        let headEnd = try #require(answer.range(of: Data("\r\n\r\n".utf8)))
        #expect(String(decoding: answer[..<headEnd.lowerBound], as: UTF8.self).contains("Content-Encoding: gzip"))
        return answer[headEnd.upperBound...]
    }

    /// The output of the system's gzip, which also checks the checksum and the length.
    private func unzipped(_ file: Data) async throws -> Data {
        let url = temporaryFile("bomb.gz")
        try file.write(to: url)
        let outcome = try await Program.run(["gzip", "-dc", url.path])
        try #require(outcome.status == 0)
        return outcome.output
    }

    @Test("decodes to exactly that many zeros", arguments: [1, 2, 258, 259, 260, 516, 517, 1000, 65_536, 1_000_003])
    func decodes(count: Int) async throws { #expect(try await unzipped(body(decodedBytes: count)) == Data(count: count)) }

    @Test("is a thousandth of what it decodes to")
    func isSmall() throws {
        let size = try body(decodedBytes: 1 << 30).count
        #expect(size < (1 << 20) + (64 << 10))
    }
}
