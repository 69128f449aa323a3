internal import CoreAPIHTTP
internal import CoreAPIJSON
internal import Foundation

/// A jar on disk; ``CookieJar/save(to:includingSessionCookies:)`` documents its format.
struct CookieFile {
    static let version = 1

    let cookies: [Cookie]

    init(_ cookies: [Cookie]) {
        self.cookies = cookies
    }

    fileprivate struct Form: Codable {
        var version: Int
        var cookies: [Entry]
    }

    fileprivate struct Entry: Codable {
        /// ``latin1`` if each character of name and value is one byte; `nil` for UTF-8.
        var encoding: String?
        var name: String
        var value: String
        var domain: String
        var hostOnly: Bool
        var path: String
        var expires: Double?
        var secure: Bool
        var httpOnly: Bool
        var sameSite: String
        var created: Double
        var lastAccessed: Double
    }

    // MARK: - Reading

    /// - Parameter suffixes: the jar's list. A cookie for a possible public suffix is dropped, because the list may have changed
    ///   since the file was written. The other cookies are kept.
    init(contentsOf file: URL, suffixes: PublicSuffixList?) throws(CookieJar.FileError) {
        let data: Data
        do throws(FileFailure) {
            data = try LocalFile(reading: file.path).readToEnd()
        } catch {
            throw .unreadable(file: file.path, reason: error.reason)
        }
        let form: Form
        do {
            form = try JSONBodyDecoder().decode(Form.self, from: data)
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
        func describe(_ path: [any CodingKey]) -> String {
            let text = path.reduce(into: "") { text, key in
                text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? "" : ".") + key.stringValue
            }
            return text.isEmpty ? "the top level" : text
        }
        switch error {
        case DecodingError.typeMismatch(let type, let context):
            return .malformed(
                file: file, path: describe(context.codingPath), expected: "a value of the type \(type)", got: "another type")
        case DecodingError.valueNotFound(let type, let context):
            return .malformed(
                file: file, path: describe(context.codingPath), expected: "a value of the type \(type)", got: "null")
        case DecodingError.keyNotFound(let key, let context):
            return .malformed(
                file: file, path: describe(context.codingPath), expected: "the key '\(key.stringValue)'", got: "none")
        default:
            return .malformed(file: file, path: "the top level", expected: "JSON", got: "something else")
        }
    }

    // MARK: - Writing

    func write(to file: URL) throws(CookieJar.FileError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data: Data
        do {
            data = try encoder.encode(Form(version: Self.version, cookies: cookies.map(Entry.init)))
        } catch {
            throw .unwritable(file: file.path, reason: error.readableDescription)
        }
        do throws(FileFailure) {
            try FileReplacement(path: file.path, mode: 0o600).write(data)
        } catch {
            throw .unwritable(file: file.path, reason: error.reason)
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
            encoding: isUTF8 ? nil : Self.latin1, name: written[0], value: written[1], domain: cookie.domain,
            hostOnly: cookie.isHostOnly,
            path: cookie.path,
            expires: cookie.expires?.timeIntervalSince1970, secure: cookie.isSecure, httpOnly: cookie.isHTTPOnly,
            sameSite: cookie.sameSite.rawValue, created: cookie.created.timeIntervalSince1970,
            lastAccessed: cookie.lastAccessed.timeIntervalSince1970)
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
            if let control = bytes.first(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) {
                return (field, "no control characters", "0x\(String(control, radix: 16))")
            }
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
        nameBytes = entry.nameBytes
        valueBytes = Secret(entry.valueBytes)
        domain = entry.domain
        isHostOnly = entry.hostOnly
        path = entry.path
        expires = entry.expires.map(Date.init(timeIntervalSince1970:))
        isSecure = entry.secure
        isHTTPOnly = entry.httpOnly
        sameSite = SameSite(rawValue: entry.sameSite) ?? .unspecified
        created = Date(timeIntervalSince1970: entry.created)
        lastAccessed = Date(timeIntervalSince1970: entry.lastAccessed)
    }
}
