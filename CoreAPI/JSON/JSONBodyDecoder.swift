public import Foundation

/// Decodes `Decodable` types from JSON (RFC 8259) with the results of `JSONDecoder`, several times as fast on most documents.
///
/// A value: set it up once and share it. Decoding does not change it, so calls may be concurrent or nested. Decoders and
/// containers may outlive the call. Use them from one thread at a time.
///
///     var decoder = JSONBodyDecoder()
///     decoder.dateDecodingStrategy = .iso8601
///     let order = try decoder.decode(Order.self, from: body)
///
/// As `JSONDecoder`, it accepts UTF-8, UTF-16 and UTF-32 with or without a byte order mark. The document may be a single value. A
/// comma may follow the last item. Nesting is limited to 512 levels. Of equal keys the first wins. JSON5 is not supported.
///
/// It differs from Foundation of Swift 6.3 in three ways:
/// - It accepts zeros with an exponent, such as `0e1`.
/// - The error for a number that its type cannot hold has the number's path. Foundation's path is empty.
/// - It rejects a key with more than 30 combining marks in a row, which would take hours to compare.
public struct JSONBodyDecoder: Sendable {
    /// The form of dates. Default `.deferredToDate`.
    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { settings.dates }
        set { settings.dates = newValue }
    }
    /// The form of `Data`. Default `.base64`.
    public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy {
        get { settings.data }
        set { settings.data = newValue }
    }
    /// The form of infinities and NaN. Default `.throw`.
    public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy {
        get { settings.floats }
        set { settings.floats = newValue }
    }
    /// How an object's keys become a type's. Keys of `[String: Value]` are not converted. Default `.useDefaultKeys`.
    public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy {
        get { settings.keys }
        set { settings.keys = newValue }
    }
    /// The content of `Decoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { settings.userInfo }
        set { settings.userInfo = newValue }
    }
    /// The largest document in bytes. `JSONDecoder` decodes larger ones: an entry of the tape has 28 bits for an offset.
    package var sizeLimit: Int {
        get { settings.sizeLimit }
        set { settings.sizeLimit = newValue }
    }

    /// One reference, because every document keeps the settings: copies take 2 % of decoding a small object.
    private var shared = SharedDecodingSettings()
    private var settings: DecodingSettings {
        get { shared.settings }
        set { shared = SharedDecodingSettings(newValue) }
    }

    /// Makes a decoder with the default strategies.
    public init() {}

    /// Decodes a document on the caller's thread. Calls may be concurrent.
    ///
    /// - Throws: `DecodingError`, as `JSONDecoder` does. For a number that its type cannot hold, `dataCorrupted` has the number's
    ///   path. The path is empty for invalid JSON and invalid UTF-8. Errors of a type's own initializer pass unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        var read: Document?
        do {
            guard let document = try Document.read(data, shared) else { return try foundation.decodeWithinEnd(type, from: data) }
            read = document
            return try document.decodeRoot(type)
        } catch let malformed as JSONSyntaxError {
            // Searched for only here: a type may try several types for a value and catch each mismatch.
            throw malformed.decodingError(
                in: data, at: malformed.number.flatMap { read?.path(to: $0, at: malformed.offset) } ?? [])
        }
    }

    /// `JSONDecoder` with the same settings.
    package var foundation: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dateDecodingStrategy
        decoder.dataDecodingStrategy = dataDecodingStrategy
        decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
        decoder.keyDecodingStrategy = keyDecodingStrategy
        decoder.userInfo = userInfo
        return decoder
    }
}

struct DecodingSettings: Sendable {
    var dates = JSONDecoder.DateDecodingStrategy.deferredToDate
    var data = JSONDecoder.DataDecodingStrategy.base64
    var floats = JSONDecoder.NonConformingFloatDecodingStrategy.throw
    var keys = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    var sizeLimit = TapeEntry.limit
}

final class SharedDecodingSettings: Sendable {
    let settings: DecodingSettings
    let hasDefaultKeys: Bool

    init(_ settings: DecodingSettings = DecodingSettings()) {
        self.settings = settings
        hasDefaultKeys = if case .useDefaultKeys = settings.keys { true } else { false }
    }
}
