public import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPIRedaction
public import Foundation
public import HTTPTypes

/// One prepared response, and the requests that it is for.
///
/// Fixtures lie in folders (``FixturesType``), are passed to a ``FixtureTransport``, or are attached as a modifier. An attached
/// fixture applies only with a fixture transport.
public struct Fixture: RequestModifier {
    /// `nil` for any.
    public var method: HTTPRequest.Method?
    /// Below the environment's base URL, without a leading slash; percent-encoded as on the wire. `nil` for any.
    public var path: String?
    /// Query items that a request must have; it may have others too. The value `*` matches any.
    public var query: [(name: String, value: String?)]
    /// The response's status.
    public var status: Int
    /// The response's fields.
    public var headers: Headers
    /// The response's body; not used if there is a ``stream``.
    public var body: Data
    /// The response's body piece by piece, with pauses between; `nil` for ``body``.
    public var stream: [Piece]?
    /// Before the response.
    public var delay: Duration
    /// Instead of the response.
    public var failure: TransportError?

    /// One step of a body that arrives piece by piece.
    ///
    /// ```swift
    /// Fixture(.get, "events", headers: ["Content-Type": "text/event-stream"], stream: [
    ///     .text("data: 1\n\n"), .pause(.milliseconds(50)), .text("data: 2\n\n"),
    /// ])
    /// ```
    public enum Piece: Sendable {
        /// Text.
        case text(String)
        /// Bytes.
        case bytes(Data)
        /// A pause.
        case pause(Duration)
        /// Waits for a test's signal: `.wait { try await gate.waitUntilOpen() }`. An error that it throws ends the body.
        case wait(@Sendable () async throws -> Void)
        /// The body ends here, by an error.
        case failure(TransportError)
    }

    /// Makes a fixture whose body is a text, or arrives piece by piece.
    ///
    /// - Parameters:
    ///   - target: path and, if it matters, query: `orders?page=1`.
    ///   - status: of three digits.
    ///   - body: sent unchanged; `content-type` is `application/json` unless `headers` say otherwise.
    ///   - stream: the body piece by piece, instead of `body`.
    ///   - delay: before the response.
    ///   - failure: instead of the response.
    public init(
        _ method: HTTPRequest.Method, _ target: String, status: Int = 200, headers: Headers = [:], body: String = "",
        stream: [Piece]? = nil, delay: Duration = .zero, failure: TransportError? = nil
    ) {
        // Octets, because a separator before a combining mark is another character to Swift.
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1).map { Substring($0) }
        self.method = method
        path = PercentEncoding.path(String(parts.first?.unicodeScalars.drop { $0 == "/" } ?? Substring.UnicodeScalarView()))
        query = parts.count == 2 ? Self.items(of: parts[1]) : []
        (self.status, self.headers, self.body) = (status, headers, Data(body.utf8))
        (self.stream, self.delay, self.failure) = (stream, delay, failure)
    }

    /// A response to every request that it is attached to.
    ///
    /// ```swift
    /// try await networkManager.attaching(Fixture(status: 503)).request(endpoint: .orderList())
    /// ```
    public init(
        status: Int = 200, headers: Headers = [:], body: String = "", delay: Duration = .zero, failure: TransportError? = nil
    ) {
        self.init(.get, "", status: status, headers: headers, body: body, delay: delay, failure: failure)
        (method, path) = (nil, nil)
    }

    private static func items(of query: Substring) -> [(name: String, value: String?)] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { item in
            let pair = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.decode(Substring($0)) }
            return (pair[0], pair.count == 2 ? pair[1] : nil)
        }
    }

    /// `GET orders?page=1`
    var summary: String {
        let items = query.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }.joined(separator: "&")
        return "\(method?.rawValue ?? "any method") \(path ?? "any path")" + (items.isEmpty ? "" : "?" + items)
    }

    func fits(_ request: Request) -> Bool {
        if let method, method != request.method { return false }
        if let path, path != request.pathBelowBase, "/\(path)" != request.url.path { return false }
        let items = request.url.queryItems
        return query.allSatisfy { wanted in
            items.contains { item in
                // As bytes: names that are equal in Unicode but differ in bytes are two names.
                item.name.utf8.elementsEqual(wanted.name.utf8)
                    && (wanted.value == "*" || item.value.map { Array($0.utf8) } == wanted.value.map { Array($0.utf8) })
            }
        }
    }

    /// Plays the pieces.
    private static func source(_ pieces: [Piece], _ attempt: Attempt, _ head: ResponseHead) -> ChunkSource {
        ChunkSource(isReplayable: false) {
            var rest = pieces[...]
            var delivered: Int64 = 0
            return {
                func deliver(_ data: Data) -> Data {
                    delivered += Int64(data.count)
                    return data
                }
                do {
                    while let piece = rest.popFirst() {
                        switch piece {
                        case .text(let text): return deliver(Data(text.utf8))
                        case .bytes(let data): return deliver(data)
                        case .pause(let duration): try await Task.sleep(for: duration)
                        case .wait(let signal): try await signal()
                        case .failure(let error): throw error
                        }
                    }
                    try Task.checkCancellation()
                    return nil
                } catch {
                    rest = []
                    let context = APIClientError.Context(attempt.request, head: head)
                    throw APIClientError(error, context.after(.init(bytes: delivered, items: 0)))
                }
            }
        }
    }

    func raw(to attempt: Attempt) -> RawResponse {
        if let failure { return attempt.failed(failure) }
        guard (100...999).contains(status) else {
            let reason = "the fixture's status \(status) does not have three digits"
            return attempt.failed(TransportError.malformedResponse(reason: reason))
        }
        do throws(RequestError) {
            var fields = try headers.fields()
            if fields[.contentType] == nil, !body.isEmpty || stream != nil { fields[.contentType] = "application/json" }
            let head = ResponseHead(status: .init(code: status), headers: fields)
            if let stream {
                let body = Body.Stream(length: nil, Self.source(stream, attempt, head))
                return RawResponse(attempt, head: head, body: .stream(body))
            }
            let (limit, isDiscarded) = attempt.bodyLimit(of: head)
            guard body.count <= limit || isDiscarded else {
                let context = APIClientError.Context(attempt.request, head: head)
                return RawResponse(attempt, head: head, failure: .transport(.responseTooLarge(limit: limit), context))
            }
            return RawResponse(attempt, head: head, body: .bytes(body.prefix(limit)))
        } catch {
            return attempt.failed(TransportError.malformedResponse(reason: error.readableDescription))
        }
    }
}

extension Fixture: CustomStringConvertible, CustomReflectable {
    /// The request that it is for, secrets hidden, and the response's status.
    public var description: String {
        let outcome = failure.map { "\($0)" } ?? "\(status)"
        return "\(Redaction().redact(text: summary)) → \(outcome)".escapingControls
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// Selects one of several scenarios of fixtures (`orders-empty`, `orders-error`), for a channel, an endpoint or a call. It
    /// applies only with fixtures. A scenario that does not exist fails the call with
    /// ``FixtureError/notFound(name:searched:available:)``.
    ///
    /// ```swift
    /// try await networkManager.attaching(Fixture.Scenario("orders-error")).request(endpoint: .orderList())
    /// ```
    public struct Scenario: RequestModifier, Hashable {
        public static let allowsSeveral = false

        /// The scenario's name.
        public let name: String

        /// Names a scenario.
        public init(_ name: String) { self.name = name }
    }
}
