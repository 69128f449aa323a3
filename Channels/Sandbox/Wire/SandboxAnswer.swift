import Foundation
import HTTPTypes

/// An answer of the sandbox.
struct SandboxAnswer: Sendable {
    let status: HTTPResponse.Status
    var headers: [(name: String, value: String)] = []
    var body = Data()

    /// A JSON answer of any channel: ISO 8601 dates, keys in a stable order, slashes unescaped.
    static func json(
        _ body: some Encodable, status: HTTPResponse.Status = .ok, headers: [(name: String, value: String)] = []
    ) throws -> SandboxAnswer {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return SandboxAnswer(
            status: status, headers: [(name: "content-type", value: "application/json")] + headers, body: try encoder.encode(body)
        )
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
