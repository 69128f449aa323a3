public import Foundation

/// Decodes `Decodable` types from JSON (RFC 8259) with the same answers as `JSONDecoder`, and faster, several times on
/// most documents.
///
/// A value: set it up once and share it; decoding keeps no state in it, so that calls may run at the same time and within each
/// other. What one call hands to the types it decodes, a decoder and its containers, may be kept, and is for one thread at a
/// time, as what `JSONDecoder` hands out is.
///
///     var decoder = JSONBodyDecoder()
///     decoder.dateDecodingStrategy = .iso8601
///     let order = try decoder.decode(Order.self, from: body)
///
/// As `JSONDecoder` does, it takes UTF-8, UTF-16 and UTF-32 with or without a byte order mark, a single value in place of an
/// object, a comma behind the last item, and 512 values within each other; of equal keys the first counts. Zeros such as `0e1` it
/// takes too, which Foundation of Swift 6.3 refuses. A number that its type cannot hold is an error with its path, which
/// Foundation leaves empty. JSON5 it does not take, and no key with more than 30 combining marks in a row, which would take hours
/// to compare.
public struct JSONBodyDecoder: Sendable {
    /// How dates are told.
    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { settings.dates }
        set { change { $0.dates = newValue } }
    }
    /// How bytes are told.
    public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy {
        get { settings.data }
        set { change { $0.data = newValue } }
    }
    /// How infinities and NaN are told.
    public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy {
        get { settings.floats }
        set { change { $0.floats = newValue } }
    }
    /// How keys of objects become keys of types; keys of `[String: Value]` stay as they are.
    public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy {
        get { settings.keys }
        set { change { $0.keys = newValue } }
    }
    /// What `Decoder.userInfo` holds.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { settings.userInfo }
        set { change { $0.userInfo = newValue } }
    }
    /// Documents with more bytes are left to `JSONDecoder`; the index has no more bits for places in them.
    package var sizeLimit: Int {
        get { settings.sizeLimit }
        set { change { $0.sizeLimit = newValue } }
    }

    // One reference, because every document keeps what it is read by.
    private var shared = SharedDecodingSettings(DecodingSettings())
    private var settings: DecodingSettings { shared.settings }

    private mutating func change(_ body: (inout DecodingSettings) -> Void) {
        var settings = settings
        body(&settings)
        shared = SharedDecodingSettings(settings)
    }

    public init() {}

    /// On the caller's thread; any number of calls may run at once.
    ///
    /// - Throws: `DecodingError` as `JSONDecoder` does, but `dataCorrupted` for a number that its type cannot hold has the
    ///   number's path. The path is empty for invalid JSON and invalid UTF-8. Errors of a type's own initializer pass unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        var read: Document?
        do {
            guard let document = try Document.read(data, shared) else {
                return try foundation.decodeWithinEnd(type, from: data)
            }
            read = document
            return try document.decodeRoot(type)
        } catch let malformed as JSONSyntaxError {
            // Looked for here, once: a type may try several types for a value, and catch what does not fit.
            let path = malformed.isSound ? read?.path(toNumberAt: malformed.offset) : nil
            throw malformed.decodingError(in: data, at: path ?? [])
        }
    }

    private var foundation: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dateDecodingStrategy
        decoder.dataDecodingStrategy = dataDecodingStrategy
        decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
        decoder.keyDecodingStrategy = keyDecodingStrategy
        decoder.userInfo = userInfo
        return decoder
    }
}

/// What a ``JSONBodyDecoder`` was told.
struct DecodingSettings: Sendable {
    var dates = JSONDecoder.DateDecodingStrategy.deferredToDate
    var data = JSONDecoder.DataDecodingStrategy.base64
    var floats = JSONDecoder.NonConformingFloatDecodingStrategy.throw
    var keys = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    var sizeLimit = TapeEntry.limit

    var hasDefaultKeys: Bool { if case .useDefaultKeys = keys { true } else { false } }
}

/// The same behind one reference, never changed.
final class SharedDecodingSettings: Sendable {
    let settings: DecodingSettings

    init(_ settings: DecodingSettings) {
        self.settings = settings
    }
}
