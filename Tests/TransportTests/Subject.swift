import CoreAPIURLSession
import TestSupport

/// A capability that a case needs. A transport without it skips the case, by name and with its reason.
enum Need: String, Sendable, Hashable, CaseIterable {
    case sockets
    /// HTTP/1.1, whose faults and folded lines HTTP/2 does not have.
    case http1
    /// Reports metrics.
    case timings
    case https
    case trust
    case connectClock
    case idleClock
    case totalClock
    case tellsHeads
    case checksBodyLimit
    case checksHead
    /// Reads a request's stream, and detects one of another length than announced.
    case checksUploads
    case separateFields
    /// Delivers a redirect whose `Location` is empty.
    case emptyLocations
    case gzip, brotli
    /// Leaves an unknown coding encoded.
    case unknownCodings
    /// Detects a truncated encoded body.
    case checksCodings
    case streaming
    case backpressure
}

struct Subject: Sendable, CustomTestStringConvertible {
    let name: String
    let lacks: [Need: String]
    let isSecure: Bool
    /// `nil` if the case's responses are passed to it, without a server.
    let connect: (@Sendable (Limits) -> any Transport)?
    let answering: @Sendable (@escaping @Sendable (Seen) -> Answer) -> any Transport

    var testDescription: String { name }

    /// The reason why it skips a case; `nil` if it runs it.
    func reasonToSkip(_ needs: Set<Need>) -> String? {
        Need.allCases.first { needs.contains($0) && lacks[$0] != nil }.flatMap { need in
            lacks[need].map { "\(need.rawValue): \($0)" }
        }
    }

    static let all = [curl, curlOverTLS, urlSession, fixtures, memory]

    static let curl = Subject(
        name: "libcurl over HTTP/1.1", lacks: [.https: "this one speaks clear text", .brotli: Self.brotli], isSecure: false,
        connect: { CurlTransport(limits: $0) })

    static let curlOverTLS = Subject(
        name: "libcurl over TLS and HTTP/2",
        lacks: [.http1: "it speaks HTTP/2", .brotli: Self.brotli],
        isSecure: true, connect: { CurlTransport(limits: $0) })

    static let urlSession = Subject(
        name: "URLSession",
        lacks: [
            .https: "Foundation on Linux trusts no authority of a channel's own, so it reaches no TLS server of a test",
            .trust: "authorities and pins are rejected, by a typed error",
            .timings: "Foundation on Linux delivers no metrics",
            .connectClock: "it does not tell when it is connected; the idle clock runs meanwhile",
            .separateFields: "Foundation joins the values of duplicate fields",
            .emptyLocations: "Foundation on Linux fails the task as if its connection were lost",
            .unknownCodings: "libcurl rejects them in Foundation's hands, which is a typed error",
            .checksCodings: "Foundation's libcurl does not look whether a coding came to its end",
            .backpressure: "Foundation on Linux cannot pause a body; what lies unread is bounded",
            .brotli: Self.brotli,
        ],
        isSecure: false, connect: { URLSessionTransport(limits: $0) })

    static let fixtures = Subject(
        name: "FixtureTransport",
        lacks: simulated, isSecure: true, answering: { FixturesOf(answers: $0) })

    static let memory = Subject(
        name: "a transport in memory",
        lacks: simulated.merging([
            .tellsHeads: "it is a plain one, which tells nothing",
            .checksBodyLimit: "it checks nothing",
            .totalClock: "it looks at no clock",
        ]) { old, _ in old },
        isSecure: true, answering: { InMemory(answers: $0) })

    private static let simulated: [Need: String] = [
        .sockets: "no server answers it",
        .http1: "it speaks no protocol",
        .timings: "nothing is timed",
        .trust: "there is no TLS",
        .connectClock: "nothing is connected",
        .idleClock: "a response is whole at once",
        .checksHead: "a response is taken as it is given",
        .checksUploads: "no body is sent",
        .gzip: "bodies are given without codings",
        .brotli: "bodies are given without codings",
        .unknownCodings: "bodies are given without codings",
        .checksCodings: "bodies are given without codings",
        .streaming: "a response is whole at once",
        .backpressure: "a response is whole at once",
    ]

    /// Empty if there is a Brotli decoder.
    private static let brotli = CurlTransport.capabilities.contentCodings.contains("br") ? "" : "there is no brotli decoder here"

    private init(
        name: String, lacks: [Need: String], isSecure: Bool, connect: (@Sendable (Limits) -> any Transport)? = nil,
        answering: @escaping @Sendable (@escaping @Sendable (Seen) -> Answer) -> any Transport = { InMemory(answers: $0) }
    ) {
        self.name = name
        self.lacks = lacks.filter { !$0.value.isEmpty }
        self.isSecure = isSecure
        self.connect = connect
        self.answering = answering
    }
}

/// A plain custom transport: a function of requests.
struct InMemory: Transport {
    let answers: @Sendable (Seen) -> Answer

    func send(_ attempt: Attempt) async -> RawResponse {
        let request = attempt.request
        do {
            let answer = answers(try await Seen(request))
            try await Task.sleep(for: answer.delay)
            let head = ResponseHead(status: .init(code: answer.status), headers: try answer.headers.fields())
            return RawResponse(attempt, head: head, body: .bytes(request.method == .head ? Data() : answer.body))
        } catch { return attempt.failed(error) }
    }
}

/// Attaches each response as a fixture.
struct FixturesOf: Transport {
    let answers: @Sendable (Seen) -> Answer

    func send(_ attempt: Attempt) async -> RawResponse {
        do {
            let answer = answers(try await Seen(attempt.request))
            var fixture = Fixture(status: answer.status, headers: answer.headers, delay: answer.delay)
            fixture.body = attempt.request.method == .head ? Data() : answer.body
            return await FixtureTransport([]).send(attempt.with { $0.modifiers.append(fixture) })
        } catch { return attempt.failed(error) }
    }
}
