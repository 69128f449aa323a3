public import Foundation

/// One challenge of a `WWW-Authenticate` header (RFC 9110 §11.6.1): how a server wants a client to authenticate.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// In lower case, because schemes are compared without case: `digest`.
    public let scheme: String
    /// The token that some schemes have instead of parameters.
    public internal(set) var token68: String?
    /// By name in lower case; values without quotes.
    public internal(set) var parameters: [String: String] = [:]

    /// Why a header could not be parsed.
    public enum Malformed: Error, Hashable, Sendable {
        /// The expected text, and its octet offset in the header's value.
        case expected(String, at: Int)
        /// A challenge names a parameter twice (RFC 9110 §11.2).
        case duplicate(parameter: String)
    }

    /// The challenges of one header line, in order; a line may have several.
    ///
    /// ```swift
    /// try AuthenticationChallenge.parse(#"Basic realm="a", Digest realm="a", nonce="x", qop="auth""#).map(\.scheme)
    /// // basic, digest
    /// ```
    ///
    /// - Throws: ``Malformed``.
    public static func parse(_ line: String) throws(Malformed) -> [AuthenticationChallenge] {
        var parser = ChallengeParser(line)
        return try parser.challenges()
    }

    /// The rest of a list without quotes: `qop=auth,auth-int`.
    fileprivate mutating func takeProtection(_ name: String) -> Bool {
        guard scheme == "digest", let first = parameters["qop"], ["auth", "auth-int"].contains(name) else { return false }
        parameters["qop"] = "\(first),\(name)"
        return true
    }
}

extension AuthenticationChallenge.Malformed: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .expected(let what, let position): "the authentication header is malformed: expected \(what) at octet \(position)"
        case .duplicate(let name): "the authentication header is malformed: expected the parameter '\(name)' once, got it again"
        }
    }
}

/// Reads one header line token by token. Total: every iteration consumes input or ends the loop.
private struct ChallengeParser {
    /// Its first index is the octet's offset in the line.
    private var rest: ArraySlice<UInt8>

    init(_ line: String) { rest = Array(line.utf8)[...] }

    mutating func challenges() throws(AuthenticationChallenge.Malformed) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        while true {
            // A list may have empty elements (RFC 9110 §5.6.1.2).
            rest.take { $0 == UInt8(ascii: ",") || $0.isBlank }
            guard !rest.isEmpty else { return challenges }
            let name = text(rest.take(while: \.isTokenOctet)).lowercased()
            guard !name.isEmpty else { throw expected("a token") }
            let isSpaced = !rest.take(while: \.isBlank).isEmpty
            if isAtElementEnd, let last = challenges.indices.last, challenges[last].takeProtection(name) { continue }
            if let last = challenges.indices.last, challenges[last].token68 == nil, rest.skip("=") {
                guard challenges[last].parameters[name] == nil else { throw .duplicate(parameter: name) }
                challenges[last].parameters[name] = try value()
            } else {
                guard isSpaced || isAtElementEnd else { throw expected("a space or a comma after the scheme") }
                var challenge = AuthenticationChallenge(scheme: name)
                // Parameters, if any, are read as the next elements. Digest has no token68, but may have `realm=`.
                if name != "digest" { challenge.token68 = takeToken68() }
                challenges.append(challenge)
                if challenge.token68 == nil {
                    guard isAtElementEnd || isAtParameter else { throw expected("a parameter or a comma") }
                    continue
                }
            }
            let isSpacedBehind = !rest.take(while: \.isBlank).isEmpty
            // Some servers separate parameters by spaces alone.
            guard isAtElementEnd || isSpacedBehind && isAtParameter else { throw expected("a comma") }
        }
    }

    private var isAtElementEnd: Bool { rest.first == nil || rest.first == UInt8(ascii: ",") }

    /// Whether a name and an equals sign follow.
    private var isAtParameter: Bool {
        var ahead = rest
        guard !ahead.take(while: \.isTokenOctet).isEmpty else { return false }
        ahead.take(while: \.isBlank)
        return ahead.skip("=")
    }

    /// Only if it fills the whole element, because every parameter name looks like the beginning of one.
    private mutating func takeToken68() -> String? {
        var ahead = rest
        let letters = ahead.take { $0.isLetter || $0.isDigit || "-._~+/".utf8.contains($0) }
        let padding = ahead.take { $0 == UInt8(ascii: "=") }
        let end = ahead.drop(while: \.isBlank)
        guard !letters.isEmpty, end.isEmpty || end.first == UInt8(ascii: ",") else { return nil }
        rest = ahead
        return text(letters + padding)
    }

    private mutating func value() throws(AuthenticationChallenge.Malformed) -> String {
        rest.take(while: \.isBlank)
        guard rest.skip("\"") else { return unquotedValue() }
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return text(value[...]) }
            guard let octet = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte else { break }
            guard octet == 0x09 || (octet >= 0x20 && octet != 0x7F) else {
                throw .expected("no control character", at: rest.startIndex - 1)
            }
            value.append(octet)
        }
        throw expected("the closing quote")
    }

    /// A token, or what should have been quoted: `a==`, `My Realm` or nothing. It ends at a comma, or before the next parameter.
    private mutating func unquotedValue() -> String {
        let start = rest
        var end = rest
        repeat {
            rest.take(while: \.isUnquoted)
            end = rest
            rest.take(while: \.isBlank)
        } while rest.startIndex > end.startIndex && rest.first?.isUnquoted == true && !isAtParameter
        rest = end
        return text(start[..<end.startIndex])
    }

    private func expected(_ what: String) -> AuthenticationChallenge.Malformed { .expected(what, at: rest.startIndex) }
    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isUnquoted: Bool { self > 0x20 && self != 0x7F && self != UInt8(ascii: ",") && self != UInt8(ascii: "\"") }
}
