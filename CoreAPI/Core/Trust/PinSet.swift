internal import Foundation

/// The public keys that hosts may answer with, as OkHttp writes them: `sha256/` and the base64 of the SHA-256 of the certificate's
/// SubjectPublicKeyInfo (RFC 7469 §2.4). The server's own certificate is compared (`CURLOPT_PINNEDPUBLICKEY`).
///
/// ```swift
/// PinSet(["api.example.com": ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/BBBB…"]])
/// ```
///
/// A host pattern is a name, `*.name` for exactly one further label, or `**.name` for any number of them.
public struct PinSet: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    public private(set) var pins: [String: [String]]

    public init(_ pins: [String: [String]] = [:]) {
        self.pins = pins
    }

    public init(dictionaryLiteral elements: (String, [String])...) {
        pins = Dictionary(elements, uniquingKeysWith: +)
    }

    public var isEmpty: Bool { pins.isEmpty }

    /// The pins of every pattern that fits the host, sorted; empty when the host is not pinned.
    public func pins(for host: String) -> [String] {
        // A dot at the end is DNS's way to say that the name is complete; it is the same host.
        func normalized(_ name: String) -> String { (name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased() }
        let host = normalized(host)
        return pins.filter { Self.matches(pattern: normalized($0.key), host: host) }.flatMap(\.value).sorted()
    }

    /// What is malformed, in words. A pin that cannot be read would otherwise refuse, or worse allow, everything.
    var problems: [String] {
        pins.sorted { $0.key < $1.key }.flatMap { pattern, pins in
            var problems: [String] = []
            if pins.isEmpty { problems.append("the pins for '\(pattern)' are an empty list") }
            for pin in pins where !Self.isWellFormed(pin) {
                problems.append("the pin '\(pin)' for '\(pattern)' is not sha256/ and the base64 of 32 bytes")
            }
            return problems
        }
    }

    private static func isWellFormed(_ pin: String) -> Bool {
        pin.hasPrefix("sha256/") && Data(base64Encoded: String(pin.dropFirst("sha256/".count)))?.count == 32
    }

    private static func matches(pattern: String, host: String) -> Bool {
        if pattern.hasPrefix("**.") {
            let name = pattern.dropFirst(3)
            return host == name || host.hasSuffix("." + name)
        }
        if pattern.hasPrefix("*.") {
            guard let dot = host.firstIndex(of: ".") else { return false }
            return host[host.index(after: dot)...] == pattern.dropFirst(2) && dot > host.startIndex
        }
        return pattern == host
    }
}
