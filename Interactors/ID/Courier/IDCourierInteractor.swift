public import CoreAPI
public import CoreAPIWebSocket
public import IDNetworker

/// The interface of the courier's chat, for a presenter.
@MainActor
public protocol IDCourierInteractorInterface: AnyObject {
    var output: (any IDCourierInteractorOutput)? { get set }

    /// Opens the chat of an order; calls the output for each line of the courier, and once at the end.
    func openChat(orderID: String)
    /// Sends a line to the courier.
    ///
    /// - Returns: `false` if no chat is open; then nothing is sent.
    func say(_ text: String) -> Bool
    /// Ends the chat. If it is not open yet, it ends without a call of the output.
    func hangUp()
}

/// Receives the chat, on the main actor.
@MainActor
public protocol IDCourierInteractorOutput: AnyObject {
    func handleCourierMessage(_ message: IDCourierMessage)
    /// A line of the customer was not sent.
    func handleUnsentCourierLine(_ error: APIClientError)
    /// The chat has ended; without an error if the courier or the customer ended it.
    func handleCourierChatEnd(_ error: APIClientError?)
}

/// Chats with the courier over a WebSocket.
public final class IDCourierInteractor: IDNetworker<IDCourierEndpointItem>, IDCourierInteractorInterface {
    public weak var output: (any IDCourierInteractorOutput)?
    private var chat = Cancellable()
    private var socket: WebSocket?

    deinit {
        chat.cancel()
    }

    public func openChat(orderID: String) {
        hangUp()
        // The end of an earlier chat must not be taken for the end of this one.
        chat.cancel()
        chat = webSocket(.chat(orderID: orderID), of: IDCourierMessage.self) {
            $0.socket = $1
        } message: {
            $0.output?.handleCourierMessage($1)
        } end: {
            $0.socket = nil
            $0.output?.handleCourierChatEnd($1)
        }
    }

    public func say(_ text: String) -> Bool {
        guard let socket else { return false }
        send(IDCourierMessage(text: text), over: socket) { $0.output?.handleUnsentCourierLine($1) }
        return true
    }

    public func hangUp() {
        guard let socket else { return chat.cancel() }
        self.socket = nil
        Task { await socket.close() }
    }

    /// Opens the chat of an order; from any actor. Lines are ``IDCourierMessage`` values, by ``WebSocket/send(json:)`` and
    /// ``WebSocket/messages(as:)``.
    public nonisolated func chat(orderID: String) async throws(APIClientError) -> WebSocket {
        try await networkManager.webSocket(EndpointType.chat(orderID: orderID))
    }
}
