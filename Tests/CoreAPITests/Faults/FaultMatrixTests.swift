import Synchronization
import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Every fault, at every moment, over both versions of HTTP")
struct FaultMatrixTests {
    /// The outcome of the request with the fault, and of one more request if the first one fails. Over TLS, with an idle
    /// timeout of 2 s. "lost, ambiguous" means that the server may have processed the request; such a request is never sent
    /// twice.
    ///
    /// "a or b": a if the kit reads the extra bytes with the next response, b if it reads them with this one.
    ///
    /// "garbled" is a success with a wrong body. Over HTTP/1.1 no client can detect it: `Content-Length` counts the extra bytes
    /// as body. The bytes that they displace make the connection unusable, and the kit does not reuse it.
    static let expected = """
                                        | HTTP/1.1 GET          | HTTP/1.1 POST         | HTTP/2 GET        | HTTP/2 POST
        close beforeRequest             | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        reset beforeRequest             | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        stall beforeRequest             | timedOut.idle         | timedOut.idle         | timedOut.idle     | timedOut.idle
        truncate beforeRequest          | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        garble beforeRequest            | malformedResponse     | malformedResponse     | malformedResponse | malformedResponse
        throttle beforeRequest          | ok                    | ok                    | ok                | ok
        goAway beforeRequest            | connectionLost        | lost, ambiguous       | ok                | ok
        resetStream beforeRequest       | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        handshakeFailure beforeRequest  | tls                   | tls                   | tls               | tls
        close inRequestBody             | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        reset inRequestBody             | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        stall inRequestBody             | timedOut.idle         | timedOut.idle         | timedOut.idle     | timedOut.idle
        truncate inRequestBody          | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        garble inRequestBody            | malformedResponse     | malformedResponse     | malformedResponse | malformedResponse
        throttle inRequestBody          | ok                    | ok                    | ok                | ok
        goAway inRequestBody            | connectionLost        | lost, ambiguous       | ok                | ok
        resetStream inRequestBody       | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        handshakeFailure inRequestBody  | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        close beforeResponse            | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        reset beforeResponse            | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        stall beforeResponse            | timedOut.idle         | timedOut.idle         | timedOut.idle     | timedOut.idle
        truncate beforeResponse         | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        garble beforeResponse           | malformedResponse     | malformedResponse     | malformedResponse | malformedResponse
        throttle beforeResponse         | ok                    | ok                    | ok                | ok
        goAway beforeResponse           | ok                    | ok                    | ok                | ok
        resetStream beforeResponse      | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        handshakeFailure beforeResponse | connectionLost        | lost, ambiguous       | connectionLost    | lost, ambiguous
        close inResponseBody            | truncated             | truncated             | truncated         | truncated
        reset inResponseBody            | truncated             | truncated             | truncated         | truncated
        stall inResponseBody            | timedOut.idle         | timedOut.idle         | timedOut.idle     | timedOut.idle
        truncate inResponseBody         | truncated             | truncated             | malformedResponse | malformedResponse
        garble inResponseBody           | garbled               | garbled               | malformedResponse | malformedResponse
        throttle inResponseBody         | ok                    | ok                    | ok                | ok
        goAway inResponseBody           | ok                    | ok                    | ok                | ok
        resetStream inResponseBody      | truncated             | truncated             | truncated         | truncated
        handshakeFailure inResponseBody | truncated             | truncated             | truncated         | truncated
        close afterResponse             | ok                    | ok                    | ok                | ok
        reset afterResponse             | ok                    | ok                    | ok                | ok
        stall afterResponse             | ok then timedOut.idle | ok then timedOut.idle | ok                | ok
        truncate afterResponse          | ok                    | ok                    | ok                | ok
        garble afterResponse            | ok                    | ok                    | ok                | ok then lost, ambiguous or ok
        throttle afterResponse          | ok                    | ok                    | ok                | ok
        goAway afterResponse            | ok                    | ok                    | ok                | ok
        resetStream afterResponse       | ok                    | ok                    | ok                | ok
        handshakeFailure afterResponse  | ok                    | ok                    | ok                | ok
        """

    /// 8.14.1 may close a connection with unreadable TLS bytes before it delivers the HTTP/2 frames before them. Then there is
    /// no head, and the server's progress is unknown.
    private static let newer =
        "handshakeFailure inResponseBody | truncated | truncated | truncated or connectionLost | truncated or lost, ambiguous"

    private static let faults = Fault.Trigger.allCases.flatMap { trigger in Fault.Effect.allCases.map { Fault(trigger, $0) } }

    @Test("has the outcome in the table")
    func matrix() async throws {
        let outcomes = try await Self.outcomes()
        var lines = Self.expected.split(separator: "\n").dropFirst()
        if CurlLibrary.linked.version >= CurlVersion(8, 14, 1),
            let index = lines.firstIndex(where: { $0.hasPrefix(Self.newer.prefix(31)) })
        {
            lines[index] = Self.newer[...]
        }
        #expect(lines.count == Self.faults.count)
        for line in lines {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let row = outcomes[cells[0]] ?? []
            #expect(row.count == cells.count - 1 && zip(row, cells.dropFirst()).allSatisfy(Self.meets), "\(cells[0]): \(row)")
        }
    }

    private static func meets(_ outcome: String, _ cell: String) -> Bool {
        cell.components(separatedBy: " or ").contains(outcome)
    }

    /// In a separate process, because parallel tests have threads and sockets, too.
    @Test("leaves no connection, task, thread, handle or descriptor behind")
    func leftovers() async {
        await #expect(processExitsWith: .success) {
            // One-time work of a process happens before the measurement.
            _ = try await FaultMatrixTests.outcomes(of: [Fault(.beforeResponse, .throttle)])
            let before = try await Census.settled(atMost: Census(threads: 0, descriptors: 0))
            _ = try await FaultMatrixTests.outcomes()
            let after = try await Census.settled(atMost: before)
            #expect(after.threads == 0 && after.descriptors <= before.descriptors, "\(before) → \(after)")
            #expect(CurlHandle.living.load(ordering: .relaxed) == 0 && TLSConnection.living.load(ordering: .relaxed) == 0)
        }
    }

    private static func outcomes(of faults: [Fault] = faults) async throws -> [String: [String]] {
        let root = try TestAuthority()
        let certificate = try root.certificate()
        return try await withThrowingTaskGroup(of: (String, [String]).self) { group in
            for fault in faults {
                group.addTask {
                    var row: [String] = []
                    for version in [ServerTLS.ApplicationProtocol.http1, .http2] {
                        for posts in [false, true] {
                            let cell = FaultCell(
                                fault: fault, version: version, posts: posts, certificate: certificate, authority: root)
                            row.append(try await cell.outcome())
                        }
                    }
                    return (fault.description, row)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}
