internal import CoreAPICoding
public import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// The events of a server, by the WHATWG standard; ``Dispatcher/events(_:as:options:)`` makes one.
///
/// ```swift
/// for try await event in manager.events(.get("orders/\(segment: id)/events"), as: OrderEvent.self) {
///     show(event.data)
/// }
/// ```
///
/// Every iteration connects by a call of the channel. After the connection has ended it pauses, then makes another call with
/// `Last-Event-ID`. Redirects and credentials work as for any call. Status 204 ends the loop. Any other status than 200, or
/// another media type, ends it with the error, after the channel's error filter has seen the body. Leaving the loop, or
/// cancelling its task, closes the connection. ``updates`` reports the connections, too.
public struct EventStream<Value: Sendable>: AsyncSequence, Sendable {
    /// The events with the state of the connection between them.
    public let updates: EventStream<Value>.Updates

    /// Reads the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Failure = APIClientError

        private var updates: EventStream<Value>.Updates.AsyncIterator

        init(_ stream: EventStream) { updates = stream.updates.makeAsyncIterator() }

        /// The next event; `nil` after the last.
        ///
        /// - Throws: `APIClientError`. Its context's `streamed` counts the bytes and events before it.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(APIClientError) -> ServerSentEvent<Value>?
        {
            while let update = try await updates.next(isolation: actor) {
                if case .event(let event) = update { return event }
            }
            return nil
        }

        /// As ``next(isolation:)``.
        public mutating func next() async throws(APIClientError) -> ServerSentEvent<Value>? {
            try await next(isolation: #isolation)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension EventStream {
    /// The events of a server and the state of the connection; see ``EventStream/updates``.
    ///
    /// ```swift
    /// for try await update in manager.events(.get("news")).updates {
    ///     switch update {
    ///     case .open: show(online: true)
    ///     case .event(let event): show(event.data)
    ///     case .reconnecting(let pause, _): show(online: false, backIn: pause)
    ///     }
    /// }
    /// ```
    public struct Updates: AsyncSequence, Sendable {
        let dispatcher: any Dispatcher
        let endpoint: any Endpoint
        let options: EventOptions
        let decode: @Sendable (ServerSentEvent<String>, StreamContext) async throws(StreamError.Reason) -> Value

        /// An event, or a change of the connection.
        public enum Element: Sendable {
            /// A connection is open; events follow.
            case open(ResponseHead)
            /// An event arrived.
            case event(ServerSentEvent<Value>)
            /// The connection has ended, with or without an error. The stream connects again after the pause.
            case reconnecting(after: Duration, because: APIClientError?)
        }

        /// Connects, reads, and connects again.
        public struct AsyncIterator: AsyncIteratorProtocol {
            public typealias Failure = APIClientError

            private let source: EventStream.Updates
            private var plan: EventPlan
            private var parser: EventParser
            /// The body of the open connection.
            private var body: CountedBody?
            /// The bytes and events of the connections before it.
            private var count = StreamCount()
            /// The context of the last connection's errors.
            private var context: APIClientError.Context?

            init(_ source: EventStream.Updates) {
                self.source = source
                plan = EventPlan(source.options, mayRepeat: source.endpoint.method.isIdempotent)
                parser = EventParser(lastEventID: source.options.lastEventID ?? "", limit: source.options.eventSize)
            }

            /// The next update; `nil` after the last.
            ///
            /// - Throws: `APIClientError`. Its context's `streamed` counts the bytes and events before it.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(APIClientError) -> Element? {
                switch plan.step {
                case .end: return nil
                case .connect(let pause): return try await connect(after: pause)
                case .read: return try await read()
                }
            }

            /// As ``next(isolation:)``.
            public mutating func next() async throws(APIClientError) -> Element? { try await next(isolation: #isolation) }

            private mutating func read() async throws(APIClientError) -> Element? {
                guard let context else { return nil }
                var failure: APIClientError?
                do {
                    while true {
                        if let event = try parser.next() {
                            guard event.data != source.options.sentinel else {
                                body = nil
                                plan.end()
                                return nil
                            }
                            return .event(try await decoded(event))
                        }
                        guard let chunk = try await body?.next() else { break }
                        parser.feed(chunk)
                    }
                } catch let reason as StreamError.Reason {
                    failure = APIClientError(body?.failure(reason) ?? reason, context)
                } catch {
                    failure = APIClientError(error, context)
                }
                return try ended(by: failure)
            }

            private mutating func decoded(_ event: ServerSentEvent<String>) async throws -> ServerSentEvent<Value> {
                do throws(StreamError.Reason) {
                    let value = try await source.decode(event, body?.context ?? .body)
                    body?.count.items += 1
                    return ServerSentEvent<Value>(id: event.id, name: event.name, data: value)
                } catch {
                    throw body?.failure(error, of: Data(event.data.utf8)) ?? error
                }
            }

            private mutating func connect(after pause: Duration) async throws(APIClientError) -> Element? {
                do {
                    if pause > .zero { try await Task.sleep(for: pause) }
                } catch {
                    plan.end()
                    guard let context else { return nil }
                    throw .cancelled(context).after(count)
                }
                let response = await source.dispatcher.stream(source.request(after: parser.lastEventID))
                if !EventStream.Updates.isSendable(parser.lastEventID) {
                    response.warn(
                        "the last event's id has characters that no field can hold: "
                            + "without Last-Event-ID the server may begin anew")
                }
                context = APIClientError.Context(response)
                guard let error = response.error else { return try open(response) }
                return try ended(by: error, mayWait: response.mayWait)
            }

            private mutating func open(_ response: Response<Body>) throws(APIClientError) -> Element? {
                let (context, origin) = (APIClientError.Context(response), StreamContext(response))
                guard let head = response.head, head.status != .noContent else {
                    plan.end()
                    guard let sentinel = source.options.sentinel, count.bytes > 0 else { return nil }
                    throw APIClientError(origin.failure(.noSentinel(sentinel), count), context)
                }
                // A dispatcher of one's own may not have asked the verifier.
                do throws(VerificationError) {
                    try EventStream.Updates.verify(head)
                } catch {
                    plan.end()
                    throw .verification(error, context)
                }
                body = CountedBody(try response.value, origin, count)
                plan.open()
                parser = EventParser(lastEventID: parser.lastEventID, limit: source.options.eventSize)
                return .open(head)
            }

            /// `mayWait` says that the response asks for no pause that a call has no time for. An open connection has no
            /// deadline.
            private mutating func ended(by error: APIClientError?, mayWait: Bool = true) throws(APIClientError) -> Element? {
                var end = EventPlan.End(head: context?.head, mayWait: mayWait, error: error)
                // The end of a body without its sentinel, if no other connection follows.
                var earlyEnd: APIClientError?
                if let body, let context {
                    earlyEnd = source.options.sentinel.map { APIClientError(body.failure(.noSentinel($0)), context) }
                    count = body.count
                    (end.hadLine, end.retry) = (parser.hasLine, parser.retry)
                }
                body = nil
                if let pause = plan.end(end, random: .random(in: 0...1)) { return .reconnecting(after: pause, because: error) }
                if let error = error ?? earlyEnd { throw error.after(count) }
                return nil
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

        private func request(after id: String) -> any Endpoint {
            var headers: Headers = ["Accept": EventStream<Value>.mediaType, "Cache-Control": "no-store"]
            if !id.isEmpty, Self.isSendable(id) { headers["Last-Event-ID"] = id }
            let verifier = HeadVerifier { if let head = $0.head { try Self.verify(head) } }
            let idle = options.idle.map { IdleTimeout($0) } ?? IdleTimeout(.seconds(60), yieldsToTimeout: true)
            return endpoint.attaching(headers.own, idle, verifier)
        }

        /// Whether a field can hold the id. Another one would fail the call.
        private static func isSendable(_ id: String) -> Bool { (try? HTTPField(checking: "Last-Event-ID", value: id)) != nil }

        /// Accepts the head of an event stream (WHATWG HTML §9.2.3). Status 204 is the end of the events.
        private static func verify(_ head: ResponseHead) throws(VerificationError) {
            guard head.status != .noContent else { return }
            guard head.status == .ok else { throw .unacceptableStatus(head.status.code, expected: "200") }
            let type = EventStream<Value>.mediaType
            guard head.mediaType?.essence == type else {
                throw .unacceptableContentType(head.headers[.contentType], expected: [type])
            }
        }
    }

    fileprivate static var mediaType: String { "text/event-stream" }
}

/// One event of a server that sends events (WHATWG HTML, "Server-sent events").
public struct ServerSentEvent<Value: Sendable>: Sendable {
    /// The id of this event, or else of the last event with an id; empty if no event had one.
    public let id: String
    /// The event's name; `message` if the server gave none.
    public let name: String
    /// The event's data: its text, or the value decoded from it.
    public let data: Value

    /// Makes an event.
    public init(id: String = "", name: String = "message", data: Value) { (self.id, self.name, self.data) = (id, name, data) }
}

extension ServerSentEvent: Equatable where Value: Equatable {}
extension ServerSentEvent: Hashable where Value: Hashable {}

extension Dispatcher {
    /// The events of a server, as text; see ``EventStream``.
    ///
    /// ```swift
    /// for try await event in manager.events(.get("news")) { print(event.name, event.data) }
    /// ```
    public func events(_ endpoint: some Endpoint, options: EventOptions = EventOptions()) -> EventStream<String> {
        EventStream(
            updates: EventStream.Updates(dispatcher: self, endpoint: endpoint, options: options) { event, _ in event.data })
    }

    /// The events of a server, with their data decoded by the channel's coder; see ``EventStream``. An event whose data cannot be
    /// decoded ends the loop with the error, after the channel's error filter has seen that data. If events of different names
    /// have different data, use the events as text.
    public func events<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, as type: Value.Type, options: EventOptions = EventOptions()
    ) -> EventStream<Value> {
        EventStream(
            updates: EventStream.Updates(dispatcher: self, endpoint: endpoint, options: options) {
                event, origin throws(StreamError.Reason) in
                let data = Data(event.data.utf8)
                do {
                    return try await origin.coder.decodeDetached(type, from: data)
                } catch {
                    throw .undecodable(DecodingFailure(error, expected: "\(Value.self)", body: data, redaction: origin.redaction))
                }
            })
    }
}
