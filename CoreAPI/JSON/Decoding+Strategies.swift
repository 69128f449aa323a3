internal import Foundation

/// Dates, bytes, URLs and decimal numbers, by the decoder's strategies.
extension Decoding {
    func date() throws -> Date {
        switch settings.dates {
        case _ where isNull: throw mismatch(Date.self, at: value, codingPath)
        case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try seconds())
        case .secondsSince1970: return Date(timeIntervalSince1970: try seconds())
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try seconds() / 1_000)
        case .iso8601: return try iso8601Date()
        case .custom(let decode): return try decode(self)
        #if canImport(Darwin)
        case .formatted(let formatter): return try formattedDate(formatter)
        @unknown default: return try foundationsDate()
        #endif
        }
    }

    func data() throws -> Data {
        switch settings.data {
        case _ where isNull: throw mismatch(Data.self, at: value, codingPath)
        case .deferredToData: return try Data(from: self)
        case .base64:
            let text = try decode(String.self)
            guard let data = Data(base64Encoded: text) else { throw corrupted("base64 (RFC 4648)", text, codingPath) }
            return data
        case .custom(let decode): return try decode(self)
        #if canImport(Darwin)
        @unknown default: return try Data(from: self)
        #endif
        }
    }

    func url() throws -> URL {
        if isNull { throw mismatch(URL.self, at: value, codingPath) }
        let text = try decode(String.self)
        guard let url = URL(string: text) else { throw corrupted("a URL", text, codingPath) }
        return url
    }

    func decimal() throws -> Decimal {
        guard let decimal = try document.decimal(value) else { throw mismatch(Decimal.self, at: value, codingPath) }
        return decimal
    }

    private var settings: DecodingSettings { document.settings }
    private var isNull: Bool { document.entry(value).is(.null) }

    private func seconds() throws -> Double {
        guard let seconds = try document.double(value) else { throw mismatchOfDate(Double.self) }
        return seconds
    }

    /// The error of a date in the form of another strategy names the option: a number alone does not say what it counts.
    private func mismatchOfDate(_ type: Any.Type) -> DecodingError {
        let (error, entry) = (mismatch(type, at: value, codingPath), document.entry(value))
        guard case .typeMismatch(_, let context) = error, entry.is(.number) || entry.is(.string) else { return error }
        let advice =
            "; the option `dates` of BodyCoder.json is .iso8601 for text, and .secondsSince1970, .millisecondsSince1970 or "
            + ".deferredToDate (since 2001) for numbers"
        return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: context.debugDescription + advice))
    }

    private func iso8601Date() throws -> Date {
        if let text = document.simpleString(value), let date = ISO8601Text.date(text) { return date }
        if document.entry(value).is(.number) { throw mismatchOfDate(String.self) }
        let text = try decode(String.self)
        guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
            // As in Foundation, the path lacks the key of the date itself.
            throw corrupted("a date in ISO 8601", text, typePath)
        }
        return date
    }

    private func corrupted(_ expected: String, _ text: String, _ path: [any CodingKey]) -> DecodingError {
        let offset = document.entry(value).offset
        return .dataCorrupted(
            .init(
                codingPath: path,
                debugDescription: "expected \(expected), found \(text.prefix(80).debugDescription), at byte \(offset)"))
    }
}

#if canImport(Darwin)
extension Decoding {
    private func formattedDate(_ formatter: DateFormatter) throws -> Date {
        let text = try decode(String.self)
        guard let date = formatter.date(from: text) else {
            throw corrupted("a date in the form of the formatter", text, codingPath)
        }
        return date
    }

    private func foundationsDate() throws -> Date {
        throw corrupted("a known date strategy", "another", codingPath)
    }
}
#endif
