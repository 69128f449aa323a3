public import Foundation
internal import HTTPTypes

/// A way to read bytes as text, by the name that a response declares.
public struct Charset: Sendable, Hashable {
    /// As declared, in lower case.
    public let name: String
    private let form: Form

    private enum Form {
        case utf8, utf16, utf16LittleEndian, utf16BigEndian, latin1, latin5, windows1252, windows1254
    }

    public static let utf8 = Charset(name: "utf-8", form: .utf8)

    private init(name: String, form: Form) {
        self.name = name
        self.form = form
    }

    /// - Throws: ``CharsetError/unknown(_:)`` for a name that the kit does not know.
    public init(named name: String) throws(CharsetError) {
        let key = name.trimmingHTTPWhitespace().lowercased()
        guard let form = Self.forms[key.filter { $0 != "-" && $0 != "_" }] else { throw .unknown(name.escapingControls) }
        self.init(name: key, form: form)
    }

    /// Without hyphens; the labels are those of IANA and the WHATWG.
    private static let forms: [String: Form] = [
        "utf8": .utf8, "usascii": .utf8, "ascii": .utf8, "utf16": .utf16, "utf16le": .utf16LittleEndian,
        "utf16be": .utf16BigEndian,
        "iso88591": .latin1, "latin1": .latin1, "l1": .latin1, "windows1252": .windows1252, "cp1252": .windows1252,
        "iso88599": .latin5, "latin5": .latin5, "l5": .latin5, "windows1254": .windows1254, "cp1254": .windows1254,
    ]

    /// The text; a byte order mark is left out.
    ///
    /// - Throws: ``CharsetError/malformed(_:)`` when the bytes are none of this charset.
    public func text(of data: Data) throws(CharsetError) -> String {
        guard let text = decode(data) else { throw .malformed(name) }
        return text
    }

    private func decode(_ data: Data) -> String? {
        switch form {
        case .utf8:
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            return String(validating: data.starts(with: mark) ? data.dropFirst(3) : data, as: UTF8.self)
        // Without a mark the order is big-endian (RFC 2781 §4.3).
        case .utf16:
            if data.starts(with: [0xFF, 0xFE]) { return Self.utf16(data.dropFirst(2), isLittleEndian: true) }
            return Self.utf16(data.starts(with: [0xFE, 0xFF]) ? data.dropFirst(2) : data, isLittleEndian: false)
        case .utf16LittleEndian:
            return Self.utf16(data.starts(with: [0xFF, 0xFE]) ? data.dropFirst(2) : data, isLittleEndian: true)
        case .utf16BigEndian:
            return Self.utf16(data.starts(with: [0xFE, 0xFF]) ? data.dropFirst(2) : data, isLittleEndian: false)
        case .latin1: return String(data: data, encoding: .isoLatin1)
        case .latin5: return Self.latin5(data)
        case .windows1252: return String(data: data, encoding: .windowsCP1252)
        case .windows1254: return String(data: data, encoding: .windowsCP1254)
        }
    }

    private static func utf16(_ data: Data, isLittleEndian: Bool) -> String? {
        guard data.count.isMultiple(of: 2) else { return nil }
        let bytes = Array(data)
        let units = stride(from: 0, to: bytes.count, by: 2).map { index in
            isLittleEndian
                ? UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8 : UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        }
        return String(validating: units, as: UTF16.self)
    }

    /// ISO-8859-9 is ISO-8859-1 with six letters exchanged for Turkish ones; Foundation knows it only as windows-1254.
    private static func latin5(_ data: Data) -> String {
        var text = String.UnicodeScalarView()
        for byte in data { text.append(turkish[byte] ?? Unicode.Scalar(byte)) }
        return String(text)
    }

    private static let turkish: [UInt8: Unicode.Scalar] = [0xD0: "Ğ", 0xDD: "İ", 0xDE: "Ş", 0xF0: "ğ", 0xFD: "ı", 0xFE: "ş"]
}

/// Why bytes could not be read as text.
public enum CharsetError: Error, Sendable, Hashable, LocalizedError {
    /// The declared charset is none that the kit knows.
    case unknown(String)
    /// The bytes are not of the declared charset.
    case malformed(String)

    public var errorDescription: String? {
        switch self {
        case .unknown(let name):
            "the charset '\(name)' is not known; expected UTF-8, UTF-16, ISO-8859-1, ISO-8859-9, windows-1252 or windows-1254"
        case .malformed(let name): "the body is declared as \(name), but its bytes are not"
        }
    }
}

extension Response {
    /// The body as text, in the charset that the response declares, else in UTF-8.
    public var rawString: String {
        get throws(CharsetError) {
            let declared = head?.headers[.contentType].flatMap(MediaType.init)?.parameters["charset"]
            return try (declared.map { name throws(CharsetError) in try Charset(named: name) } ?? .utf8).text(of: data)
        }
    }
}

extension ResponseDecoding where Value == String {
    /// The body as text; see ``Response/rawString``.
    public static let text = ResponseDecoding { try $0.rawString }
}
