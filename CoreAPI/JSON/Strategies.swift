internal import Foundation

// Dates, bytes, URLs and decimal numbers, by the strategies of decoder and encoder.

extension Date: SpecialDecodable, SpecialEncodable {
    static func decode(from decoding: Decoding, isOwn: Bool) throws -> Date {
        let wasNested = decoding.isNested
        decoding.isNested = wasNested || !isOwn
        defer { decoding.isNested = wasNested }
        if decoding.decodeNil() { throw decoding.mismatch(Date.self) }
        switch decoding.document.settings.dates {
        case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try decoding.seconds())
        case .secondsSince1970: return Date(timeIntervalSince1970: try decoding.seconds())
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try decoding.seconds() / 1_000)
        case .iso8601: return try decoding.iso8601Date()
        case .custom(let decode): return try decode(decoding)
        #if canImport(Darwin)
        case .formatted(let formatter):
            let text = try decoding.decode(String.self)
            guard let date = formatter.date(from: text) else {
                throw decoding.corrupted("a date in the form of the formatter", text, decoding.codingPath)
            }
            return date
        @unknown default: throw decoding.corrupted("a known date strategy", "another", decoding.codingPath)
        #endif
        }
    }

    func encode(in encoding: Encoding, isOwn: Bool) throws -> UInt32 {
        let tree = encoding.tree
        switch tree.settings.dateEncodingStrategy {
        case .deferredToDate: return try encoding.written { try encode(to: $0) }
        case .secondsSince1970: return try encoding.number(timeIntervalSince1970)
        case .millisecondsSince1970: return try encoding.number(1_000 * timeIntervalSince1970)
        case .iso8601: return tree.scalar { if !ISO8601Text.write(self, to: $0) { $0.string(formatted(.iso8601)) } }
        case .custom(let encode): return try encoding.written { try encode(self, $0) }
        #if canImport(Darwin)
        case .formatted(let formatter): return tree.scalar { $0.string(formatter.string(from: self)) }
        @unknown default: return try encoding.written { try encode(to: $0) }
        #endif
        }
    }
}

extension Data: SpecialDecodable, SpecialEncodable {
    static func decode(from decoding: Decoding, isOwn: Bool) throws -> Data {
        if decoding.decodeNil() { throw decoding.mismatch(Data.self) }
        switch decoding.document.settings.data {
        case .deferredToData: return try Data(from: decoding)
        case .base64:
            let text = try decoding.decode(String.self)
            guard let data = Data(base64Encoded: text) else {
                throw decoding.corrupted("base64 (RFC 4648)", text, decoding.codingPath)
            }
            return data
        case .custom(let decode): return try decode(decoding)
        #if canImport(Darwin)
        @unknown default: return try Data(from: decoding)
        #endif
        }
    }

    func encode(in encoding: Encoding, isOwn: Bool) throws -> UInt32 {
        switch encoding.tree.settings.dataEncodingStrategy {
        case .deferredToData: return try encoding.written { try encode(to: $0) }
        case .base64: return encoding.tree.scalar { $0.string(base64EncodedString()) }
        case .custom(let encode): return try encoding.written { try encode(self, $0) }
        #if canImport(Darwin)
        @unknown default: return try encoding.written { try encode(to: $0) }
        #endif
        }
    }
}

extension URL: SpecialDecodable, SpecialEncodable {
    static func decode(from decoding: Decoding, isOwn: Bool) throws -> URL {
        if decoding.decodeNil() { throw decoding.mismatch(URL.self) }
        let text = try decoding.decode(String.self)
        guard let url = URL(string: text) else { throw decoding.corrupted("a URL", text, decoding.codingPath) }
        return url
    }

    func encode(in encoding: Encoding, isOwn: Bool) -> UInt32 { encoding.tree.scalar { $0.string(absoluteString) } }
}

extension Decimal: SpecialDecodable, SpecialEncodable {
    static func decode(from decoding: Decoding, isOwn: Bool) throws -> Decimal {
        guard let decimal = try decoding.document.decimal(decoding.value) else { throw decoding.mismatch(Decimal.self) }
        return decimal
    }

    func encode(in encoding: Encoding, isOwn: Bool) -> UInt32 { encoding.tree.scalar { $0.plain(description) } }
}

extension Decoding {
    fileprivate func seconds() throws -> Double {
        guard let seconds = try Double.read(document, value) else { throw mismatchOfDate(Double.self) }
        return seconds
    }

    fileprivate func iso8601Date() throws -> Date {
        let entry = document.entry(value)
        if entry.is(.string), entry.has(TapeEntry.simple), let date = ISO8601Text.date(document.text(entry)) { return date }
        if entry.is(.number) { throw mismatchOfDate(String.self) }
        let text = try decode(String.self)
        guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
            // As in Foundation, the path lacks the key of the date itself.
            throw corrupted("a date in ISO 8601", text, typePath)
        }
        return date
    }

    /// The error of a date in the form of another strategy names the option: a number alone does not say what it counts.
    private func mismatchOfDate(_ type: Any.Type) -> DecodingError {
        let (error, entry) = (mismatch(type), document.entry(value))
        guard case .typeMismatch(_, let context) = error, entry.is(.number) || entry.is(.string) else { return error }
        let advice =
            "; the option `dates` of BodyCoder.json is .iso8601 for text, and .secondsSince1970, .millisecondsSince1970 or "
            + ".deferredToDate (since 2001) for numbers"
        return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: context.debugDescription + advice))
    }

    fileprivate func corrupted(_ expected: String, _ text: String, _ path: [any CodingKey]) -> DecodingError {
        let found = "found \(text.prefix(80).debugDescription), at byte \(document.entry(value).offset)"
        return .dataCorrupted(.init(codingPath: path, debugDescription: "expected \(expected), \(found)"))
    }
}

extension Encoding {
    /// The node of what a type or a closure writes; an empty object for nothing.
    fileprivate func written(_ write: (any Encoder) throws -> Void) rethrows -> UInt32 {
        try write(self)
        return tree.orEmpty(take(), in: depth)
    }

    /// A date as a number. The strategy for non-finite numbers does not apply.
    fileprivate func number(_ seconds: Double) throws -> UInt32 {
        guard seconds.isFinite else { throw OutputTree.nonConforming(seconds, codingPath) }
        return tree.scalar { $0.double(seconds) }
    }
}
