internal import CoreAPIHTTP
internal import CoreAPIJSON
public import Foundation

/// A jar on disk; ``CookieJar/save(to:includingSessionCookies:)`` documents its format.
struct CookieFile {
    static let version = 1

    let cookies: [Cookie]

    fileprivate struct Form: Codable {
        var version: Int
        var cookies: [Entry]
    }

    fileprivate struct Entry: Codable {
        /// ``latin1`` if each character of name and value is one byte; `nil` for UTF-8.
        var encoding: String?
        var name, value, domain, path, sameSite: String
        var hostOnly, secure, httpOnly: Bool
        var expires: Double?
        var created, lastAccessed: Double
    }
}

extension CookieFile {
    /// - Parameter suffixes: the jar's list. A cookie for a possible public suffix is dropped, because the list may have changed
    ///   since the file was written. The other cookies are kept.
    init(contentsOf file: URL, suffixes: PublicSuffixList?) throws(CookieJar.FileError) {
        let form: Form
        do {
            form = try JSONBodyDecoder().decode(Form.self, from: LocalFile(reading: file.path).readToEnd())
        } catch let failure as FileFailure {
            throw .unreadable(file: file.path, reason: failure.reason)
        } catch {
            throw Self.malformed(error, file: file.path)
        }
        guard form.version == Self.version else {
            throw .malformed(file: file.path, path: "version", expected: "\(Self.version)", got: "\(form.version)")
        }
        var cookies: [Cookie] = []
        for (index, entry) in form.cookies.enumerated() {
            if let flaw = entry.flaw {
                throw .malformed(
                    file: file.path, path: "cookies[\(index)].\(flaw.field)", expected: flaw.expected, got: flaw.got)
            }
            if entry.hostOnly || suffixes?.contains(entry.domain) == false { cookies.append(Cookie(entry)) }
        }
        self.cookies = cookies
    }

    /// The decoder's error without the text it read, which may be a cookie's value.
    private static func malformed(_ error: any Error, file: String) -> CookieJar.FileError {
        func malformed(_ path: [any CodingKey], _ expected: String, _ got: String) -> CookieJar.FileError {
            let text = path.reduce(into: "") { text, key in
                text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? "" : ".") + key.stringValue
            }
            return .malformed(file: file, path: text.isEmpty ? "the top level" : text, expected: expected, got: got)
        }
        return switch error {
        case DecodingError.typeMismatch(let type, let context):
            malformed(context.codingPath, "a value of the type \(type)", "another type")
        case DecodingError.valueNotFound(let type, let context):
            malformed(context.codingPath, "a value of the type \(type)", "null")
        case DecodingError.keyNotFound(let key, let context):
            malformed(context.codingPath, "the key '\(key.stringValue)'", "none")
        default: malformed([], "JSON", "something else")
        }
    }

    func write(to file: URL) throws(CookieJar.FileError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let data = try encoder.encode(Form(version: Self.version, cookies: cookies.map(Entry.init)))
            try FileReplacement(path: file.path, mode: 0o600).write(data)
        } catch {
            throw .unwritable(file: file.path, reason: (error as? FileFailure)?.reason ?? error.readableDescription)
        }
    }
}

extension CookieFile.Entry {
    fileprivate static let latin1 = "iso-8859-1"

    fileprivate init(_ cookie: Cookie) {
        let texts = [cookie.nameBytes, cookie.valueBytes.revealed]
        let isUTF8 = texts.allSatisfy { String(validating: $0, as: UTF8.self) != nil }
        let written = texts.map { isUTF8 ? String(decoding: $0, as: UTF8.self) : String(latin1: $0) }
        self.init(
            encoding: isUTF8 ? nil : Self.latin1, name: written[0], value: written[1], domain: cookie.domain, path: cookie.path,
            sameSite: cookie.sameSite.rawValue, hostOnly: cookie.isHostOnly, secure: cookie.isSecure,
            httpOnly: cookie.isHTTPOnly, expires: cookie.expires?.timeIntervalSince1970,
            created: cookie.created.timeIntervalSince1970, lastAccessed: cookie.lastAccessed.timeIntervalSince1970)
    }

    fileprivate var nameBytes: [UInt8] { bytes(of: name) }
    fileprivate var valueBytes: [UInt8] { bytes(of: value) }

    private func bytes(of text: String) -> [UInt8] {
        encoding == nil ? Array(text.utf8) : text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// A value that is not allowed in a header. Any program may have written the file, and its cookies go into requests.
    fileprivate var flaw: (field: String, expected: String, got: String)? {
        if let encoding {
            guard encoding == Self.latin1 else { return ("encoding", "'\(Self.latin1)'", "'\(encoding.escapingControls)'") }
            for (field, text) in [("name", name), ("value", value)] where text.unicodeScalars.contains(where: { $0.value > 0xFF })
            {
                return (field, "characters of ISO-8859-1", "others")
            }
        }
        let fields = [("name", nameBytes), ("value", valueBytes), ("domain", Array(domain.utf8)), ("path", Array(path.utf8))]
        for (field, bytes) in fields {
            guard let control = SetCookie.control(in: bytes) else { continue }
            return (field, "no control characters", "0x\(String(control, radix: 16))")
        }
        if nameBytes.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }) {
            return ("name", "a name without ';' and '='", "one with them")
        }
        if valueBytes.contains(UInt8(ascii: ";")) { return ("value", "a value without ';'", "one with it") }
        if nameBytes.isEmpty, valueBytes.contains(UInt8(ascii: "=")) {
            return ("name", "a name, because the value would read as another cookie's", "none")
        }
        let octets = nameBytes.count + valueBytes.count
        guard (1...SetCookie.pairLimit).contains(octets) else {
            return ("value", "1 to \(SetCookie.pairLimit) octets, name and value together", "\(octets)")
        }
        guard !domain.isEmpty, domain.utf8.allSatisfy({ $0 < 0x80 }), domain == domain.lowercased() else {
            return ("domain", "a host name in lower case", "'\(domain)'")
        }
        guard path.utf8.first == UInt8(ascii: "/") else { return ("path", "a path that begins with '/'", "'\(path)'") }
        guard Cookie.SameSite(rawValue: sameSite) != nil else {
            let known = Cookie.SameSite.allCases.map(\.rawValue).joined(separator: ", ")
            return ("sameSite", "one of \(known)", "'\(sameSite.escapingControls)'")
        }
        do throws(Cookie.Rejection) {
            try Cookie(self).checkPrefix(namesPath: true)
        } catch {
            return ("name", "a name whose prefix the cookie keeps to", error.readableDescription)
        }
        return nil
    }
}

extension Cookie {
    fileprivate init(_ entry: CookieFile.Entry) {
        self.init(
            nameBytes: entry.nameBytes, valueBytes: Secret(entry.valueBytes), domain: entry.domain, isHostOnly: entry.hostOnly,
            path: entry.path, expires: entry.expires.map(Date.init(timeIntervalSince1970:)), isSecure: entry.secure,
            isHTTPOnly: entry.httpOnly, sameSite: SameSite(rawValue: entry.sameSite) ?? .unspecified,
            created: Date(timeIntervalSince1970: entry.created), lastAccessed: Date(timeIntervalSince1970: entry.lastAccessed))
    }
}

extension CookieJar {
    /// Why a jar could not be saved or loaded. Never contains a cookie's value.
    public enum FileError: Error, Hashable, Sendable, LocalizedError {
        /// `reason` is the system's.
        case unreadable(file: String, reason: String)
        /// `reason` is the system's.
        case unwritable(file: String, reason: String)
        /// What was expected, what was found, and where in the file: `cookies[3].path`.
        case malformed(file: String, path: String, expected: String, got: String)

        public var errorDescription: String? {
            switch self {
            case .unreadable(let file, let reason): "the cookies in \(file) cannot be read: \(reason)"
            case .unwritable(let file, let reason): "the cookies cannot be saved in \(file): \(reason)"
            case .malformed(let file, let path, let expected, let got):
                "the cookies in \(file) cannot be read: expected \(expected), got \(got), at \(path)"
            }
        }
    }
}
