import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import Foundation

/// A plain address of the command line, as in `https://example.com/books?page=2`, `example.com/books`, `localhost:8080` or
/// `:8080/books`.
///
/// Without a scheme it is http for this machine (`localhost` and the names below it, RFC 6761 §6.3, and loopback addresses),
/// and https for all others.
struct Address: Sendable, Hashable {
    /// Scheme, host and port.
    let origin: HTTPURL
    /// Path and query.
    let target: String

    var string: String { origin.string.trimmingSlashes + target }

    /// - Returns: `nil` for a word that is no address, such as a channel's name.
    /// - Throws: `ValidationError` for a malformed address.
    init?(_ word: String) throws {
        guard let text = Self.absolute(word) else { return nil }
        let url = try validated { try HTTPURL(text) }
        let port = url.port.map { ":\($0)" } ?? ""
        origin = try HTTPURL(argument: "\(url.scheme.rawValue)://\(url.host)\(port)")
        target = url.target
    }

    private static func absolute(_ word: String) -> String? {
        if word.containsOctets(of: "://") { return word }
        let authority = word.before(anyOf: "/?#")
        if let port = authority.after(":") {
            guard port.utf8.allSatisfy(\.isDigit), !port.isEmpty || word.utf8.count > 1 else { return nil }
            return "http://localhost" + (port.isEmpty ? String(word.after(":") ?? "") : word)
        }
        let literal = authority.after("[")?.before(anyOf: "]")
        let host = String(literal ?? authority.before(anyOf: ":")).inSmallLetters
        let isHere = literal == nil ? host.isLocalhost || host.is127 : host.isLoopbackIPv6
        guard literal != nil || isHere || host.looksLikeName, !authority.containsOctets(of: "=") else { return nil }
        return (isHere ? "http://" : "https://") + word
    }
}

/// - Throws: the kit's error as a `ValidationError`.
func validated<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw ValidationError(error.readableDescription) }
}

extension HTTPURL {
    /// An address of `--host`, which may be as short as an ``Address``.
    ///
    /// - Throws: `ValidationError` that states what was expected.
    init(argument text: String) throws {
        guard text.containsOctets(of: "://") else {
            guard let address = try Address(text) else {
                throw ValidationError(
                    "expected an address such as https://example.com or :8080, got '\(text.escapingControls)'")
            }
            try self.init(argument: address.string)
            return
        }
        self = try validated { try HTTPURL(text) }
        guard query == nil else { throw ValidationError("expected a base URL without a query, got '\(text.escapingControls)'") }
    }

    /// - Throws: `ValidationError` when the path cannot be appended to the address.
    func check(path: String) throws {
        var url = self
        try validated { try url.append(path: path) }
    }
}

extension String {
    /// The text without slashes at its end.
    var trimmingSlashes: String {
        String(self[..<(utf8.lastIndex { $0 != UInt8(ascii: "/") }.map { utf8.index(after: $0) } ?? startIndex)])
    }

    /// Whether it is `localhost`, or a name below it, with or without a dot at its end.
    fileprivate var isLocalhost: Bool {
        let labels = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (labels.last?.isEmpty == true ? labels.dropLast() : labels[...]).last?.elementsEqual("localhost".utf8) == true
    }

    /// Whether it is an address of 127.0.0.0/8, this machine's own.
    fileprivate var is127: Bool { IPAddress.isIPv4(self) && utf8.starts(with: "127.".utf8) }

    /// Whether it is `::1`, in any form, or an address of 127.0.0.0/8 mapped into IPv6.
    fileprivate var isLoopbackIPv6: Bool {
        IPAddress.canonicalIPv6(self).map { $0 == "::1" || $0.utf8.starts(with: "::ffff:127.".utf8) } ?? false
    }

    /// Whether it has a dot, and no character that a name of a host has not. Letters beyond ASCII are allowed.
    fileprivate var looksLikeName: Bool {
        utf8.contains(UInt8(ascii: ".")) && utf8.allSatisfy { $0 >= 0x80 || $0.isLetter || $0.isDigit || ".-".utf8.contains($0) }
    }
}
