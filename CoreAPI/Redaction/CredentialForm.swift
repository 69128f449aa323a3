internal import CoreAPIHTTP
internal import Foundation

/// Tells a credential after the name of a scheme from a sentence: `Basic dXNlcjpwdw==` from `Basic authentication is required`.
enum CredentialForm {
    /// - Parameters:
    ///   - scheme: `basic`, `bearer` or `digest`.
    ///   - start: the offset after the scheme and a space.
    /// - Returns: the offset after the credential; `nil` for a sentence.
    static func end(of scheme: String, in bytes: [UInt8], from start: Int) -> Int? {
        if scheme == "digest" { return holdsDigest(bytes, start) ? endOfLine(in: bytes, from: start) : nil }
        let end = bytes[start...].firstIndex { !$0.isToken68 } ?? bytes.count
        let token = bytes[start..<end]
        let isShown =
            scheme == "basic"
            ? !isPair(token) && (token.count <= 7 || words(of: token).allSatisfy(isWord)) : token.count <= 7 || isPhrase(token)
        return isShown ? nil : end
    }

    /// RFC 7616 §3.4: parameters, one of which only a credential or its challenge has. `sha-256=:…:` is a digest of content.
    private static func holdsDigest(_ bytes: [UInt8], _ start: Int) -> Bool {
        let name = bytes[start...].prefix(16).prefix(while: \.isTokenOctet)
        guard parameters.contains(text(name)), isEqualsSign(in: bytes, after: name.endIndex) else { return false }
        let end = min(bytes.count, start + 256)
        var index = start
        while index < end, bytes[index] != 0x0A, bytes[index] != 0x0D {
            for mark in marks where bytes[index] | 0x20 == mark[0] {
                let word = bytes[index...].prefix(mark.count)
                if word.elementsEqual(mark, by: { $0 | 0x20 == $1 }), isEqualsSign(in: bytes, after: word.endIndex) {
                    return true
                }
            }
            index += 1
        }
        return false
    }

    private static func isEqualsSign(in bytes: [UInt8], after end: Int) -> Bool {
        var next = end
        while next < bytes.count, next < end + 8, bytes[next].isBlank || bytes[next] == UInt8(ascii: "*") { next += 1 }
        return next < bytes.count && bytes[next] == UInt8(ascii: "=")
    }

    private static let marks = ["nonce", "response", "username"].map { Array($0.utf8) }
    private static let parameters: Set<String> = [
        "username", "username*", "realm", "uri", "nonce", "cnonce", "nc", "qop", "response", "opaque", "algorithm", "userhash",
        "charset", "domain", "stale",
    ]

    private static func endOfLine(in bytes: [UInt8], from start: Int) -> Int {
        bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
    }

    /// RFC 7617 §2: Base64 of a text with a colon.
    private static func isPair(_ token: ArraySlice<UInt8>) -> Bool {
        let letters = token.prefix { $0 != UInt8(ascii: "=") }
        let whole = letters.prefix(letters.count - (letters.count % 4 == 1 ? 1 : 0))
        let padding = String(repeating: "=", count: (4 - whole.count % 4) % 4)
        guard let data = Data(base64Encoded: String(decoding: whole, as: UTF8.self) + padding) else { return false }
        return data.contains(UInt8(ascii: ":")) && String(validating: data, as: UTF8.self) != nil
    }

    /// Whether a word about bearers stands here, alone or in a compound: `token-based`. Any other short word may be part of a
    /// token, as in `admin-token-prod`.
    private static func isPhrase(_ token: ArraySlice<UInt8>) -> Bool {
        let words = words(of: token).map(text)
        return words.contains(where: phrases.contains) && words.allSatisfy { phrases.contains($0) || companions.contains($0) }
    }

    private static let companions: Set<String> = [
        "and", "auth", "based", "bearer", "bound", "free", "less", "like", "non", "oauth", "or", "only", "related", "style",
        "type",
    ]

    private static func text(_ word: ArraySlice<UInt8>) -> String { String(decoding: word, as: UTF8.self).lowercased() }

    private static func words(of token: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        token.split { "-/.=".utf8.contains($0) }
    }

    /// Letters alone in one case, or with a capital first; a version.
    private static func isWord(_ word: ArraySlice<UInt8>) -> Bool {
        if word.allSatisfy(\.isDigit) { return true }
        guard word.allSatisfy(\.isLetter) else { return false }
        return word.dropFirst().allSatisfy { $0 & 0x20 != 0 } || word.allSatisfy { $0 & 0x20 == 0 }
    }

    /// Words of more than seven letters, and a challenge's parameters (RFC 6750 §3, RFC 9728 §5.1).
    private static let phrases: Set<String> = [
        "authentication", "authenticate", "authenticated", "authenticator", "authorization", "authorisation", "authorize",
        "authorized", "credential", "credentials", "challenge", "challenges", "assertion", "assertions", "security", "mechanism",
        "strategy", "protocol", "middleware", "semantics", "extension", "instrument", "instruments", "parameter", "parameters",
        "required", "requires", "requests", "responses", "expected", "received", "provided", "rejected", "accepted", "supported",
        "unsupported", "disabled", "malformed", "validation", "verification", "revocation", "expiration", "permissions",
        "token", "tokens", "scheme", "schemes", "access", "header", "headers", "format", "prefix", "method", "methods",
        "authorization_uri", "error_description", "error_uri", "resource_metadata", "resource_id", "trusted_issuers", "client_id",
        "max_age", "acr_values",
    ]
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// RFC 9110 §11.2.
    fileprivate var isToken68: Bool { isLetter || isDigit || "-_.~+/=".utf8.contains(self) }
}
