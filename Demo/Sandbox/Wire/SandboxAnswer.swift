import CoreAPIWebSocket
import Foundation
import HTTPTypes

/// An answer of the sandbox.
struct SandboxAnswer: Sendable {
    let status: HTTPResponse.Status
    var headers: [(name: String, value: String)] = []
    var body = Data()
    /// The body of an answer that arrives piece by piece, with a short pause between; empty for ``body``.
    var pieces: [String] = []
    /// Serves the WebSocket that the request asks for; `nil` for any other answer.
    var socket: (@Sendable (WebSocket) async throws -> Void)?

    /// Accepts a WebSocket.
    static func webSocket(_ serve: @escaping @Sendable (WebSocket) async throws -> Void) -> SandboxAnswer {
        SandboxAnswer(status: .switchingProtocols, socket: serve)
    }

    /// A JSON answer of any channel: ISO 8601 dates, keys in a stable order, slashes unescaped.
    static func json(
        _ body: some Encodable, status: HTTPResponse.Status = .ok, headers: [(name: String, value: String)] = []
    ) throws -> SandboxAnswer {
        SandboxAnswer(
            status: status, headers: [(name: "content-type", value: "application/json")] + headers, body: try encoded(body))
    }

    /// The same JSON as text, such as an event's data.
    static func jsonText(_ value: some Encodable) throws -> String { String(decoding: try encoded(value), as: UTF8.self) }

    private static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}

/// An optional that is written as `null` when absent; synthesised coding would omit the key.
struct OrNull<Value: Encodable>: Encodable {
    let value: Value?

    init(_ value: Value?) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
