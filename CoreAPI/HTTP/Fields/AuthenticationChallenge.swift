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
    private let bytes: [UInt8]
    private var position = 0

    init(_ line: String) {
        bytes = Array(line.utf8)
    }

    mutating func challenges() throws(AuthenticationChallenge.Malformed) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        while true {
            // A list may have empty elements (RFC 9110 §5.6.1.2).
            skip(while: { $0 == UInt8(ascii: ",") || $0.isBlank })
            guard position < bytes.count else { return challenges }
            let name = text(take(while: \.isTokenOctet)).lowercased()
            guard !name.isEmpty else { throw expected("a token") }
            let end = position
            skip(while: \.isBlank)
            if isAtElementEnd, let last = challenges.indices.last, challenges[last].takeProtection(name) { continue }
            if let last = challenges.indices.last, challenges[last].token68 == nil, skip("=") {
                guard challenges[last].parameters[name] == nil else { throw .duplicate(parameter: name) }
                challenges[last].parameters[name] = try value()
            } else {
                guard position > end || isAtElementEnd else { throw expected("a space or a comma after the scheme") }
                challenges.append(AuthenticationChallenge(scheme: name))
                // Parameters, if any, are read as the next elements. Digest has no token68, but may have `realm=`.
                guard name != "digest", let token68 = takeToken68() else {
                    if isAtElementEnd || isAtParameter { continue }
                    throw expected("a parameter or a comma")
                }
                challenges[challenges.count - 1].token68 = token68
            }
            skip(while: \.isBlank)
            // Some servers separate parameters by spaces alone.
            guard isAtElementEnd || bytes[position - 1].isBlank && isAtParameter else {
                throw expected("a comma")
            }
        }
    }

    private var isAtElementEnd: Bool { position == bytes.count || bytes[position] == UInt8(ascii: ",") }

    /// Whether a name and an equals sign follow.
    private var isAtParameter: Bool {
        var ahead = self
        guard !ahead.take(while: \.isTokenOctet).isEmpty else { return false }
        ahead.skip(while: \.isBlank)
        return ahead.skip("=")
    }

    /// Only if it fills the whole element, because every parameter name looks like the beginning of one.
    private mutating func takeToken68() -> String? {
        let start = position
        let letters = take { $0.isLetter || $0.isDigit || "-._~+/".utf8.contains($0) }
        let padding = take { $0 == UInt8(ascii: "=") }
        let end = position
        skip(while: \.isBlank)
        guard !letters.isEmpty, isAtElementEnd else {
            position = start
            return nil
        }
        position = end
        return text(letters + padding)
    }

    private mutating func value() throws(AuthenticationChallenge.Malformed) -> String {
        skip(while: \.isBlank)
        guard skip("\"") else { return unquotedValue() }
        var value: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return text(value[...]) }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count else { break }
                byte = bytes[position]
                position += 1
            }
            guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else {
                position -= 1
                throw expected("no control character")
            }
            value.append(byte)
        }
        throw expected("the closing quote")
    }

    /// A token, or what should have been quoted: `a==`, `My Realm` or nothing. It ends at a comma, or before the next parameter.
    private mutating func unquotedValue() -> String {
        let start = position
        var end = position
        repeat {
            take(while: \.isUnquoted)
            end = position
            skip(while: \.isBlank)
        } while position > end && position < bytes.count && bytes[position].isUnquoted && !isAtParameter
        return text(bytes[start..<end])
    }

    private func expected(_ what: String) -> AuthenticationChallenge.Malformed { .expected(what, at: position) }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    @discardableResult
    private mutating func take(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = bytes[position...].prefix(while: belongs)
        position += taken.count
        return taken
    }

    private mutating func skip(while belongs: (UInt8) -> Bool) {
        take(while: belongs)
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}

extension AuthenticationChallenge {
    /// The rest of a list without quotes: `qop=auth,auth-int`.
    fileprivate mutating func takeProtection(_ name: String) -> Bool {
        guard scheme == "digest", let first = parameters["qop"], ["auth", "auth-int"].contains(name) else { return false }
        parameters["qop"] = "\(first),\(name)"
        return true
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isUnquoted: Bool { self > 0x20 && self != 0x7F && self != UInt8(ascii: ",") && self != UInt8(ascii: "\"") }
}
