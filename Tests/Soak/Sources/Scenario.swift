import CoreAPI
import CoreAPITesting
import Foundation
import HTTPTypes

/// One kind of call, the server's behaviour, and the expected result.
struct Scenario: Sendable {
    /// The first segment of the path; it tells the server the scenario.
    let name: String
    /// The number of calls of this kind in a thousand.
    let share: Int
    var method = HTTPRequest.Method.get
    var params: Parameters?
    var timeout = Timeout(.seconds(20))
    /// The delay of its cancellation.
    var cancelledAfter: Duration?
    /// Decoded as JSON instead of returned as bytes.
    var isDecoded = false
    /// Only for calls that are repeated.
    var needsRetries = false
    /// The labels of all expected results; `success` for a success.
    let ends: Set<String>
    /// The size of a success.
    var bytes: Int?
    let reply: @Sendable (ReceivedRequest) -> ServerReply

    static let success = "success"

    static let all: [Scenario] = sound + faulty

    private static let sound = [
        Scenario(name: "plain", share: 440, ends: [success], bytes: 5) { _ in .ok("plain") },
        Scenario(name: "decoded", share: 150, isDecoded: true, ends: [success]) { _ in .json(#"{"id": 7, "title": "soak"}"#) },
        Scenario(name: "posted", share: 150, method: .post, params: ["text": text], ends: [success]) { request in
            .ok(request.body)
        },
        Scenario(name: "compressed", share: 40, ends: [success], bytes: 20_000) { _ in zeros },
        Scenario(name: "chunked", share: 50, ends: [success], bytes: 9) { _ in .chunked(["one", "two", "six"]) },
        Scenario(name: "redirected", share: 40, ends: [success], bytes: 5) { .redirect(to: "/plain/\($0.connection)") },
        Scenario(name: "repeated", share: 30, needsRetries: true, ends: [success], bytes: 5) { _ in .ok("again") },
        Scenario(name: "throttled", share: 10, ends: [success], bytes: 90) { _ in
            [
                .sendHead(status: 200, headers: ["Content-Length": "90"]),
                .throttled(Data(count: 90), chunkSize: 30, interval: .milliseconds(2)),
            ]
        },
    ]

    private static let faulty = [
        Scenario(name: "missing", share: 15, ends: ["verification.unacceptableStatus.404"]) { _ in .status(404) },
        Scenario(name: "undecodable", share: 10, isDecoded: true, ends: ["decoding"]) { _ in .json(#"{"id": "#) },
        Scenario(name: "closed", share: 10, ends: ["transport.connectionLost"]) { _ in .closeWithoutReply },
        Scenario(name: "reset", share: 10, ends: ["transport.connectionLost"]) { _ in .resetBeforeHead },
        Scenario(name: "truncated", share: 10, ends: ["transport.truncated"]) { _ in
            .truncated(declared: 10, sent: Data("five.".utf8))
        },
        Scenario(name: "unended", share: 5, ends: ["transport.truncated"]) { _ in .chunkedWithoutEnd(["one"]) },
        Scenario(name: "garbage", share: 10, ends: ["transport.malformedResponse"]) { _ in .garbage(Data("SSH-2.0\r\n".utf8)) },
        Scenario(name: "damaged", share: 5, ends: ["transport.malformedResponse"]) { _ in
            .status(200, body: Data("no gzip".utf8), headers: ["Content-Encoding": "gzip"])
        },
        Scenario(name: "enormous", share: 2, ends: ["transport.responseTooLarge"]) { _ in bomb },
        Scenario(name: "circular", share: 2, ends: ["transport.tooManyRedirects"]) { .redirect(to: $0.target) },
        Scenario(name: "stalled", share: 3, timeout: Timeout(.milliseconds(150)), ends: ["transport.timedOut.total"]) { _ in
            .stallBeforeHead
        },
        Scenario(name: "stuck", share: 3, timeout: Timeout(.milliseconds(150)), ends: ["transport.timedOut.total"]) { _ in
            .stallInBody(sent: Data("some".utf8))
        },
        Scenario(name: "cancelled", share: 3, cancelledAfter: .milliseconds(20), ends: ["cancelled"]) { _ in .stallBeforeHead },
        // The first of them applies.
        Scenario(name: "overtaken", share: 2, cancelledAfter: .zero, ends: ["cancelled", success]) { _ in .ok("early") },
    ]

    /// A few kilobytes.
    private static let text = String(repeating: "soak ", count: 600)
    private static let zeros = ServerReply.gzipBomb(decodedBytes: 20_000)
    private static let bomb = ServerReply.gzipBomb(decodedBytes: 4 << 20)
}

extension Scenario {
    /// A call of the scenario, identified by its number.
    func endpoint(_ number: Int) -> some Endpoint {
        TypedEndpoint(method, "\(name)/\(number)", params: params, modifiers: [timeout], name: name)
    }
}

struct Item: Decodable, Sendable {
    let id: Int
    let title: String
}
