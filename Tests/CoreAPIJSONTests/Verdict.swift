import CoreAPIJSON
import TestSupport

/// The result of a decode, in a comparable form.
enum Verdict<Value: Equatable & SendableMetatype>: Equatable {
    case value(Value)
    case failure(String)

    static func of(_ decode: () throws -> Value) -> Verdict {
        do {
            return .value(try decode())
        } catch { return .failure(label(error)) }
    }

    /// The case, the type or key, and the path, with both names of every key. The texts differ between the decoders.
    static func label(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        return switch error {
        case .typeMismatch(let type, let context): "typeMismatch \(type) \(path(context))"
        case .valueNotFound(let type, let context): "valueNotFound \(type) \(path(context))"
        case .keyNotFound(let key, let context): "keyNotFound \(name(key)) \(path(context))"
        // Foundation gives no path for a number that its type cannot hold; the kit does, and says so in these words.
        case .dataCorrupted(let context) where context.debugDescription.hasPrefix("expected a number that "):
            "dataCorrupted at []"
        case .dataCorrupted(let context): "dataCorrupted \(path(context))"
        @unknown default: "another"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        "at [" + context.codingPath.map(name).joined(separator: ", ") + "]"
    }

    private static func name(_ key: any CodingKey) -> String {
        key.intValue.map { "\(key.stringValue)#\($0)" } ?? key.stringValue
    }

    var isFailure: Bool { if case .failure = self { true } else { false } }
}

/// Both decoders with the same settings.
struct Decoders {
    var ours = JSONBodyDecoder()
    let foundation = JSONDecoder()

    init() {}

    init(_ dates: JSONDecoder.DateDecodingStrategy) {
        ours.dateDecodingStrategy = dates
        foundation.dateDecodingStrategy = dates
    }

    init(_ keys: JSONDecoder.KeyDecodingStrategy) {
        ours.keyDecodingStrategy = keys
        foundation.keyDecodingStrategy = keys
    }

    init(_ data: JSONDecoder.DataDecodingStrategy) {
        ours.dataDecodingStrategy = data
        foundation.dataDecodingStrategy = data
    }

    init(_ floats: JSONDecoder.NonConformingFloatDecodingStrategy) {
        ours.nonConformingFloatDecodingStrategy = floats
        foundation.nonConformingFloatDecodingStrategy = floats
    }

    func both<Value: Decodable & Equatable & SendableMetatype>(_ type: Value.Type, _ data: Data) -> (
        ours: Verdict<Value>, foundation: Verdict<Value>
    ) { (Verdict.of { try ours.decode(Value.self, from: data) }, Verdict.of { try foundation.decode(Value.self, from: data) }) }

    func both<Value: Decodable & Equatable & SendableMetatype>(_ type: Value.Type, _ text: String) -> (
        ours: Verdict<Value>, foundation: Verdict<Value>
    ) { both(type, Data(text.utf8)) }

    @discardableResult
    func same<Value: Decodable & Equatable & SendableMetatype>(
        _ type: Value.Type, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Verdict<Value> {
        let (ours, foundation) = both(type, data)
        #expect(ours == foundation, "\(String(decoding: data.prefix(1_000), as: UTF8.self))", sourceLocation: sourceLocation)
        return ours
    }

    @discardableResult
    func same<Value: Decodable & Equatable & SendableMetatype>(
        _ type: Value.Type, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Verdict<Value> { same(type, Data(text.utf8), sourceLocation: sourceLocation) }
}
