import CoreAPIWebSocket
import TestSupport

/// Sends every message back.
@Sendable func echo(_ socket: WebSocket) async throws {
    for try await message in socket { try await socket.send(message) }
}

extension ServerReply {
    /// A correct handshake's answer with changes, and then other steps.
    static func switching(
        _ request: ReceivedRequest, _ options: WebSocket.Options = .init(), status: Int = 101,
        changing: (inout [(name: String, value: String)]) -> Void = { _ in }, then steps: [Step]
    ) -> ServerReply {
        var fields = Acceptance(options) { request.headers.all($0) }?.fields ?? []
        changing(&fields)
        let head = HeaderLines(fields.map { .init(name: $0.name, value: $0.value) })
        return ServerReply([.sendHead(status: status, headers: head)] + steps)
    }
}

extension APIClientError {
    /// The error of the transport; `nil` for another failure.
    var transport: TransportError? {
        if case .transport(let error, _) = self { error } else { nil }
    }
}

/// The error of an operation; `nil` without one.
func failure<Value>(of operation: () async throws -> Value) async -> APIClientError? {
    do {
        _ = try await operation()
        return nil
    } catch {
        return error as? APIClientError
    }
}

extension [UInt8] {
    var data: Data { Data(self) }
}

/// Bytes that a server has received.
final class HeardBytes: Sendable {
    private let bytes = Mutex(Data())

    var all: Data { bytes.withLock { $0 } }
    func append(_ data: Data) { bytes.withLock { $0 += data } }
}
