import CoreAPI
import Foundation

// Shown on the page "Language models"; what they do is tested in LanguageModelTests.

extension Channel {
    static let models = Channel("Models", hosts: [.production: "https://models.example"])
        .with { channel in
            channel.coder = .json(keys: .convertFromSnakeCase, encodedKeys: .convertToSnakeCase)
            channel.modifiers = [Timeout(idle: .seconds(60))]
            channel.errorFilter = .rejection(ModelError.self)
        }
}

struct ModelError: Error, Decodable, Equatable {
    struct Reason: Decodable, Equatable {
        let message: String
        let type: String?
    }
    let error: Reason
}

struct ChatRequest: Encodable, Sendable {
    var model = "small"
    var messages: [ChatMessage]
    var stream: Bool?
    var responseFormat: [String: String]?
    var tools: [JSONValue]?
}

struct ChatMessage: Codable, Equatable, Sendable {
    let role: String
    let content: String
}

struct ChatPiece: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        let delta: Delta
        let finishReason: String?
    }
    struct Delta: Decodable, Sendable {
        let content: String?
        let toolCalls: [ToolPiece]?
    }
    struct ToolPiece: Decodable, Sendable {
        struct Function: Decodable, Sendable {
            let name: String?
            let arguments: String?
        }
        let index: Int
        let id: String?
        let function: Function
    }
    let choices: [Choice]
}

extension Dispatcher {
    func pieces(of request: ChatRequest) -> EventStream<ChatPiece> {
        var request = request
        request.stream = true
        return events(.post("chat", body: request), as: ChatPiece.self, options: EventOptions(sentinel: "[DONE]"))
    }
}

func answer(_ question: String, through manager: some Dispatcher, show: (String) -> Void) async throws {
    let request = ChatRequest(messages: [ChatMessage(role: "user", content: question)])
    for try await piece in manager.pieces(of: request) {
        if let text = piece.data.choices.first?.delta.content { show(text) }
    }
}

func ask(_ question: String, through manager: some Dispatcher, show: (String) -> Void) async throws {
    do {
        try await answer(question, through: manager, show: show)
    } catch let error as APIClientError {
        guard !error.isCancelled else { return }
        if let rejection: ModelError = error.app() { show("\nThe model says: \(rejection.error.message)") } else { throw error }
    }
}

struct ToolCall: Equatable, Sendable {
    var id = ""
    var name = ""
    var arguments = ""

    mutating func add(_ piece: ChatPiece.ToolPiece) {
        id += piece.id ?? ""
        name += piece.function.name ?? ""
        arguments += piece.function.arguments ?? ""
    }
}

func toolCalls(for request: ChatRequest, through manager: some Dispatcher) async throws -> [ToolCall] {
    var calls: [Int: ToolCall] = [:]
    for try await event in manager.pieces(of: request) {
        for piece in event.data.choices.first?.delta.toolCalls ?? [] { calls[piece.index, default: ToolCall()].add(piece) }
    }
    return calls.sorted { $0.key < $1.key }.map(\.value)
}

struct WeatherQuery: Decodable, Equatable, Sendable {
    let city: String
}

func query(of call: ToolCall) throws -> WeatherQuery {
    try BodyCoder.json.decode(WeatherQuery.self, from: Data(call.arguments.utf8))
}

struct ChatAnswer: Decodable, Sendable {
    struct Choice: Decodable, Sendable { let message: ChatMessage }
    let choices: [Choice]
}

struct Recipe: Decodable, Equatable, Sendable {
    let title: String
    let minutes: Int
}

func recipe(for dish: String, through manager: some Dispatcher) async throws -> Recipe? {
    let request = ChatRequest(
        messages: [ChatMessage(role: "user", content: "A recipe for \(dish), as JSON with title and minutes")],
        responseFormat: ["type": "json_object"])
    let answer = try await manager.request(.post("chat", body: request), as: ChatAnswer.self)
    let text = answer.choices.first?.message.content ?? ""
    return try BodyCoder.json.decode(Recipe?.self, from: Data(text.utf8))
}
