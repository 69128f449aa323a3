import CoreAPIJSON
import TestSupport

/// The result of a decode or of an encode, in a comparable form.
enum Verdict<Value: Equatable & SendableMetatype>: Equatable {
    case value(Value)
    case failure(String)

    static func of(_ make: () throws -> Value) -> Verdict {
        do { return .value(try make()) } catch { return .failure(label(error)) }
    }

    /// The case, the type or key, and the path, with both names of every key. The texts differ between the coders.
    static func label(_ error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(let type, let context): "typeMismatch \(type) \(path(context.codingPath))"
        case DecodingError.valueNotFound(let type, let context): "valueNotFound \(type) \(path(context.codingPath))"
        case DecodingError.keyNotFound(let key, let context): "keyNotFound \(name(key)) \(path(context.codingPath))"
        // Foundation gives no path for a number that its type cannot hold; the kit does, and says so in these words.
        case DecodingError.dataCorrupted(let context) where context.debugDescription.hasPrefix("expected a number that "):
            "dataCorrupted at []"
        case DecodingError.dataCorrupted(let context): "dataCorrupted \(path(context.codingPath))"
        case EncodingError.invalidValue(let value, let context):
            "invalidValue \(type(of: value)) \(path(context.codingPath))"
        default: "\(error)"
        }
    }

    private static func path(_ path: [any CodingKey]) -> String { "at [" + path.map(name).joined(separator: ", ") + "]" }

    private static func name(_ key: any CodingKey) -> String {
        key.intValue.map { "\(key.stringValue)#\($0)" } ?? key.stringValue
    }

    var isFailure: Bool { if case .failure = self { true } else { false } }
}

extension Verdict<String> {
    static func of(_ encode: () throws -> Data) -> Verdict { of { String(decoding: try encode(), as: UTF8.self) } }
}

/// Both decoders with the same settings.
struct Decoders {
    var ours = JSONBodyDecoder()
    let foundation = JSONDecoder()

    init(
        dates: JSONDecoder.DateDecodingStrategy = .deferredToDate, data: JSONDecoder.DataDecodingStrategy = .base64,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys, floats: JSONDecoder.NonConformingFloatDecodingStrategy = .throw
    ) {
        ours.dateDecodingStrategy = dates
        ours.dataDecodingStrategy = data
        ours.keyDecodingStrategy = keys
        ours.nonConformingFloatDecodingStrategy = floats
        foundation.dateDecodingStrategy = dates
        foundation.dataDecodingStrategy = data
        foundation.keyDecodingStrategy = keys
        foundation.nonConformingFloatDecodingStrategy = floats
    }

    func both<Value: Decodable & Equatable & SendableMetatype>(
        _ type: Value.Type, _ data: Data
    ) -> (ours: Verdict<Value>, foundation: Verdict<Value>) {
        (.of { try ours.decode(type, from: data) }, .of { try foundation.decode(type, from: data) })
    }

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

/// Both encoders with the same settings.
struct Encoders: Sendable {
    var ours = JSONBodyEncoder()
    let foundation = JSONEncoder()

    /// - Parameter formatting: sorted, as far as texts are to be compared.
    init(
        _ formatting: JSONEncoder.OutputFormatting = [.sortedKeys], dates: JSONEncoder.DateEncodingStrategy = .deferredToDate,
        data: JSONEncoder.DataEncodingStrategy = .base64, keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys,
        floats: JSONEncoder.NonConformingFloatEncodingStrategy = .throw
    ) {
        ours.outputFormatting = formatting
        ours.dateEncodingStrategy = dates
        ours.dataEncodingStrategy = data
        ours.keyEncodingStrategy = keys
        ours.nonConformingFloatEncodingStrategy = floats
        foundation.outputFormatting = formatting
        foundation.dateEncodingStrategy = dates
        foundation.dataEncodingStrategy = data
        foundation.keyEncodingStrategy = keys
        foundation.nonConformingFloatEncodingStrategy = floats
    }

    func both(_ value: some Encodable) -> (ours: Verdict<String>, foundation: Verdict<String>) {
        (.of { try ours.encode(value) }, .of { try foundation.encode(value) })
    }

    @discardableResult
    func same(_ value: some Encodable, sourceLocation: SourceLocation = #_sourceLocation) -> Verdict<String> {
        let (ours, foundation) = both(value)
        #expect(ours == foundation, sourceLocation: sourceLocation)
        return ours
    }
}

/// A type whose `encode(to:)` is a closure.
struct Act: Encodable {
    let act: (any Encoder) throws -> Void
    init(_ act: @escaping (any Encoder) throws -> Void) { self.act = act }
    func encode(to encoder: any Encoder) throws { try act(encoder) }
}

struct AnyKey: CodingKey, ExpressibleByStringLiteral, Equatable {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringLiteral name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Encoder {
    func members() -> KeyedEncodingContainer<AnyKey> { container(keyedBy: AnyKey.self) }

    func single(_ value: some Encodable) throws {
        var container = singleValueContainer()
        try container.encode(value)
    }
}
