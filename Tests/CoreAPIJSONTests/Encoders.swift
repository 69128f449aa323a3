import CoreAPIJSON
import TestSupport

/// The result of an encode, in a comparable form.
enum EncodeVerdict: Equatable, CustomStringConvertible {
    case text(String)
    case failure(String)

    static func of(_ encode: () throws -> Data) -> EncodeVerdict {
        do {
            return .text(String(decoding: try encode(), as: UTF8.self))
        } catch { return .failure(label(error)) }
    }

    /// The value's type and the path, with both names of every key. The texts differ between the encoders.
    private static func label(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(let value, let context)? = error as? EncodingError else { return "\(error)" }
        let path = context.codingPath.map { key in key.intValue.map { "\(key.stringValue)#\($0)" } ?? key.stringValue }
        return "invalidValue \(type(of: value)) at [\(path.joined(separator: ", "))]"
    }

    var isFailure: Bool { if case .failure = self { true } else { false } }

    var description: String {
        switch self {
        case .text(let text): text
        case .failure(let label): label
        }
    }
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

    func both(_ value: some Encodable) -> (ours: EncodeVerdict, foundation: EncodeVerdict) {
        (EncodeVerdict.of { try ours.encode(value) }, EncodeVerdict.of { try foundation.encode(value) })
    }

    @discardableResult
    func same(_ value: some Encodable, sourceLocation: SourceLocation = #_sourceLocation) -> EncodeVerdict {
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
