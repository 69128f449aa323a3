internal import CoreAPICoding
public import CoreAPICore
internal import CoreAPIHTTP
public import Foundation

/// A WebSocket (RFC 6455): messages in both directions over one connection of a channel.
///
/// ```swift
/// let socket = try await manager.webSocket(.get("chat/\(segment: id)"))
/// try await socket.send(.text("Where are you?"))
/// for try await message in socket { show(message) }
/// await socket.close()
/// ```
///
/// The loop ends when the peer closes in the orderly way, or after ``close(code:reason:)``. It throws if the peer closes with
/// another code, breaks the protocol, exceeds a limit, or the connection is lost. Cancelling the task that waits for a message,
/// or releasing the socket, closes it with 1000.
///
/// The socket has one end: the loop, every sender, every ping and ``closing`` report it. The loop ends when the Close frame is
/// sent. The connection outlives the socket until the peer has closed it, at most for ``Options/closeTimeout``.
///
/// The socket answers pings, and sends pings after a silence (``Options/pingInterval``). It keeps about 64 KiB of messages that
/// no task has taken. Then it stops reading, and the peer has to wait. Sending also waits while the peer reads too slowly.
public final class WebSocket: Sendable {
    /// The subprotocol that the server selected among ``Options/subprotocols``; `nil` without a subprotocol.
    public let subprotocol: String?
    /// Whether messages may be compressed (permessage-deflate, RFC 7692).
    public let isCompressed: Bool
    /// The head of the response that opened the socket.
    public let head: ResponseHead
    /// The last of the values that interactors send without waiting; each waits for the one before.
    let lastSending = Mutex<Task<Void, Never>?>(nil)
    private let session: WebSocketSession
    private let coder: BodyCoder
    private let context: APIClientError.Context

    init(
        _ connection: any RawConnection, _ role: Role, _ agreement: Handshake.Agreement, _ options: Options, head: ResponseHead,
        coder: BodyCoder, context: APIClientError.Context
    ) {
        subprotocol = agreement.subprotocol
        isCompressed = agreement.deflate != nil
        (self.head, self.coder, self.context) = (head, coder, context)
        session = WebSocketSession(connection, role, agreement.deflate, options, context: context)
        session.start()
    }

    deinit { session.release() }

    /// How the socket ended; `nil` while it is open.
    public var closing: Closing? { session.closing }

    /// Sends a message. Several tasks may send at the same time; their messages do not mix. Returns when the message is queued,
    /// not when it has arrived.
    ///
    /// - Throws: `APIClientError`: the error that ended the socket, or `.transport(.connectionLost)` after an orderly end. If the
    ///   task is cancelled in the middle of a message, the socket ends.
    public func send(_ message: Message) async throws(APIClientError) {
        switch message {
        case .text(let text): try await session.send(.text, Data(text.utf8))
        case .binary(let data): try await session.send(.binary, data)
        }
    }

    /// Sends a value as a text message, encoded by the channel's coder on no actor.
    ///
    /// - Throws: `APIClientError.request` if the value cannot be encoded, otherwise as ``send(_:)``.
    @concurrent
    public func send(json value: some Encodable & Sendable) async throws(APIClientError) {
        let data: Data
        do {
            data = try coder.encode(value)
        } catch {
            throw .request(.encodingFailed(encoding: coder.contentType, underlying: error), context)
        }
        try await session.send(.text, data)
    }

    /// Sends a binary message of unknown length in fragments, one for each chunk. Other messages wait meanwhile. The message is
    /// not compressed.
    ///
    /// - Throws: `APIClientError`; an error of the sequence after its first chunk ends the socket with 1011.
    public func send<Chunks: AsyncSequence>(fragments: Chunks) async throws(APIClientError) where Chunks.Element == Data {
        try await session.send(.binary, fragments: fragments)
    }

    /// Sends a ping, and waits for its response.
    ///
    /// - Parameter limit: the longest wait; `nil` for ``Options/pongTimeout``.
    /// - Returns: the time until the response.
    /// - Throws: `APIClientError`, `.transport(.timedOut(.idle, …))` without a response in time; the socket stays open.
    @discardableResult
    public func ping(within limit: Duration? = nil) async throws(APIClientError) -> Duration {
        try await session.ping(within: limit ?? session.options.pongTimeout)
    }

    /// Closes the socket in the orderly way. Messages that arrive from now on are dropped. Returns when the connection has ended,
    /// at the latest after ``Options/closeTimeout``; in a cancelled task at once, while the socket goes on closing. A second call
    /// waits for the same end.
    ///
    /// - Parameters:
    ///   - code: the code to send; omitted unless ``CloseCode/mayBeSent`` is `true`.
    ///   - reason: a text for the peer's log; cut to 123 bytes.
    public func close(code: CloseCode = .normal, reason: String = "") async { await session.close(code, reason) }
}

extension WebSocket: AsyncSequence {
    public typealias Element = Message

    /// Takes the messages. One task at a time may wait for the next one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let socket: WebSocket

        /// The next message; `nil` after an orderly end.
        ///
        /// - Throws: `APIClientError`.
        public mutating func next() async throws(APIClientError) -> Message? { try await socket.session.next() }

        /// As ``next()``; the work runs on no actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(APIClientError) -> Message? {
            try await socket.session.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket: self) }

    /// The messages, each decoded by the channel's coder.
    ///
    /// ```swift
    /// for try await position in socket.messages(as: Position.self) { show(position) }
    /// ```
    ///
    /// A message that cannot be decoded ends the loop by `APIClientError.decoding(_:_:)`; the socket stays open.
    public func messages<Value: Decodable & Sendable>(as type: Value.Type) -> AsyncThrowingMapSequence<WebSocket, Value> {
        map { try await self.decode(type, $0) }
    }

    func decode<Value: Decodable & Sendable>(_ type: Value.Type, _ message: Message) async throws(APIClientError) -> Value {
        let data = message.data
        do {
            return try await coder.decodeDetached(type, from: data)
        } catch {
            throw .decoding(DecodingFailure(error, expected: "\(type)", body: data, redaction: context.redaction), context)
        }
    }
}

extension Dispatcher {
    /// Opens a WebSocket by a call of the channel: a GET whose response switches protocols (101). The channel's trust, pins,
    /// proxies, credentials, redirects, headers and listeners apply. `Timeout` applies until the socket is open.
    ///
    /// `ws:` and `wss:` addresses of an endpoint are `http:` and `https:`.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - options: subprotocols, limits, clocks and compression.
    /// - Throws: `APIClientError`: `.verification` for a response other than 101, `.transport(.malformedResponse)` for a wrong
    ///   handshake, `.transport(.unsupported)` if the channel's transport opens no connections, as fixtures do.
    @concurrent
    public func webSocket(_ endpoint: some Endpoint, _ options: WebSocket.Options = .init()) async throws(APIClientError)
        -> WebSocket
    {
        let whole = SocketEndpoint(wrapped: endpoint).attaching(Upgrade(options: options), StatusCodeResponseVerifier(101))
        let response = await response(for: whole, as: .stream)
        let body = try response.value
        let context = APIClientError.Context(response)
        guard let connection = body.connection as? UpgradedConnection, let head = response.head else {
            throw .transport(.unsupported(capability: "a WebSocket through a dispatcher that opens no connections"), context)
        }
        let coder = response.request?.coder ?? response.call.channel.coder
        return WebSocket(connection, .client, connection.agreement, options, head: head, coder: coder, context: context)
    }
}

/// An endpoint whose addresses may begin with `ws:` or `wss:`.
private struct SocketEndpoint: WrappingEndpoint {
    let wrapped: any Endpoint
    var baseURL: String { wrapped.baseURL.withHTTPScheme }
    var url: String { wrapped.url.withHTTPScheme }
}

extension Networker {
    /// Opens a WebSocket, and passes its messages to the interactor, decoded, one after the other on the main actor. Does not
    /// retain the interactor; after its release the socket ends with the next message.
    ///
    /// ```swift
    /// chat = webSocket(.chat(orderID: id), of: Line.self) {
    ///     $0.socket = $1
    /// } message: {
    ///     $0.output?.handleLine($1)
    /// } end: {
    ///     $0.output?.handleChatEnd($1)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - type: the type of each message.
    ///   - opened: called once with the open socket, which sends.
    ///   - message: called with each message.
    ///   - end: called once, with the error or `nil`; not called after ``/CoreAPI/Cancellable/cancel()``.
    /// - Returns: a handle to cancel with.
    @MainActor
    @discardableResult
    public func webSocket<Value: Decodable & Sendable>(
        _ endpoint: EndpointType, of type: Value.Type, opened: @escaping @MainActor (Self, WebSocket) -> Void,
        message: @escaping @MainActor (Self, Value) -> Void, end: @escaping @MainActor (Self, APIClientError?) -> Void
    ) -> Cancellable {
        let manager = networkManager
        let task = Task { [weak self] in
            var failure: APIClientError?
            do throws(APIClientError) {
                let socket = try await manager.webSocket(endpoint)
                if let self, !Task.isCancelled { opened(self, socket) }
                for try await next in socket {
                    let value = try await socket.decode(type, next)
                    guard let self, !Task.isCancelled else { return }
                    message(self, value)
                }
            } catch {
                failure = error
            }
            if let self, !Task.isCancelled { end(self, failure) }
        }
        return Cancellable { task.cancel() }
    }

    /// Sends a value over an open socket, encoded by the channel's coder. Does not retain the interactor.
    ///
    /// ```swift
    /// send(Line(text: text), over: socket) { $0.output?.handleUnsentLine($1) }
    /// ```
    ///
    /// Values are sent in the order of the calls.
    ///
    /// - Parameters:
    ///   - value: the message.
    ///   - socket: the one that `opened` received.
    ///   - failure: called on the main actor if the message cannot be sent; not called if the interactor was released. It says
    ///     nothing of the connection, whose end has its own closure.
    @MainActor
    public func send(
        _ value: some Encodable & Sendable, over socket: WebSocket,
        failure: @escaping @MainActor (Self, APIClientError) -> Void
    ) {
        socket.lastSending.withLock { last in
            last = Task { [weak self, earlier = last] in
                await earlier?.value
                do throws(APIClientError) {
                    try await socket.send(json: value)
                } catch {
                    if let self { failure(self, error) }
                }
            }
        }
    }
}
