public import CoreAPICore
internal import CoreAPIHTTP

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
