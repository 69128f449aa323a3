internal import CoreAPIHTTP
internal import CoreAPIJSON
public import Foundation

/// The public keys that hosts may use, in OkHttp's form: `sha256/` and the base64 of the SHA-256 of a certificate's
/// SubjectPublicKeyInfo (RFC 7469 §2.4). Any certificate of the verified chain may match: the server's own, an intermediate one
/// or the root. Ordinary verification comes first and is never replaced.
///
/// ```swift
/// var pins = PinSet(["api.example.com": ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/BBBB…"]])
/// pins.expiry = Date(timeIntervalSince1970: 1_830_000_000)
/// ```
///
/// A host pattern is a name, `*.name` for exactly one further label, or `**.name` for any number of them. Each should have a
/// second pin, of a key stored elsewhere; see ``warnings``.
public struct PinSet: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The effect of a mismatch.
    public enum Mode: String, Sendable, Hashable, Codable {
        /// Rejects the connection.
        case enforce
        /// Allows the connection and reports the mismatch, to try out a new set.
        case reportOnly
    }

    /// The pins, by host pattern.
    public private(set) var pins: [String: [String]]
    /// Default `.enforce`. A mismatch is reported as ``CallEvent/pinMismatch(_:_:)`` in both modes.
    public var mode = Mode.enforce
    /// The date after which ``modeAfterExpiry`` applies, so that an app that is never updated is not locked out forever. `nil`,
    /// the default, for never.
    public var expiry: Date?
    /// The mode after ``expiry``. Default `.reportOnly`.
    public var modeAfterExpiry = Mode.reportOnly
    /// Whether hosts without a matching pattern are rejected. Default `false`: they are verified as usual, without pins.
    public var rejectsOtherHosts = false

    /// Makes a set from pins by host pattern.
    public init(_ pins: [String: [String]] = [:]) { self.pins = pins }
    public init(dictionaryLiteral elements: (String, [String])...) { pins = Dictionary(elements, uniquingKeysWith: +) }

    /// A set from a JSON file: `pins`, by pattern, and optionally `mode`, `expiry` (ISO 8601), `modeAfterExpiry` and
    /// `rejectsOtherHosts`.
    ///
    /// ```json
    /// {"pins": {"api.example.com": ["sha256/…", "sha256/…"]}, "expiry": "2027-06-30T00:00:00Z", "mode": "reportOnly"}
    /// ```
    ///
    /// - Throws: ``Certificate/ReadError/unreadable(file:reason:)``.
    public init(contentsOfFile path: String) throws(Certificate.ReadError) {
        try self.init(parsing: Certificate.contents(ofFile: path), file: path)
    }

    /// The set in a file's bytes; an error names the file.
    init(parsing data: Data, file path: String) throws(Certificate.ReadError) {
        let file: PinFile
        do {
            var decoder = JSONBodyDecoder()
            decoder.dateDecodingStrategy = .iso8601
            file = try decoder.decode(PinFile.self, from: data)
        } catch {
            throw .unreadable(file: path, reason: "expected JSON with 'pins': \(error.readableDescription)")
        }
        self.init(file.pins)
        if pins.isEmpty { throw .unreadable(file: path, reason: "expected pins for at least one host, got none") }
        if let problem = problems.first { throw .unreadable(file: path, reason: problem) }
        mode = file.mode ?? .enforce
        expiry = file.expiry
        modeAfterExpiry = file.modeAfterExpiry ?? .reportOnly
        rejectsOtherHosts = file.rejectsOtherHosts ?? false
    }

    /// Whether a host is rejected because the set has no pattern for it.
    package func rejects(_ host: String) -> Bool { rejectsOtherHosts && currentMode == .enforce && pins(for: host).isEmpty }
    package func mode(at date: Date) -> Mode { if let expiry, date >= expiry { modeAfterExpiry } else { mode } }
    package var currentMode: Mode { expiry == nil ? mode : mode(at: Date()) }

    /// Settings that may lock users out one day, in words: a pattern with a single pin has no backup for a lost key.
    public var warnings: [String] {
        pins.filter { Set($0.value).count == 1 }.keys.sorted().map {
            "the pins for '\($0)' have no backup: expected a second one, of a key that is kept elsewhere"
        }
    }

    /// Whether no host is pinned.
    public var isEmpty: Bool { pins.isEmpty }

    /// The pins of every pattern that matches the host, sorted; empty if the host is not pinned.
    public func pins(for host: String) -> [String] {
        let host = Self.normalized(host)
        return pins.filter { Self.matches(pattern: Self.normalized($0.key), host: host) }.flatMap(\.value).sorted()
    }

    /// A final dot marks a complete name in DNS, and a URL writes an IPv6 address in brackets, and with its zone. With or without
    /// them, the host is the same.
    private static func normalized(_ name: String) -> String {
        let bare = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
        let address = IPAddress.canonicalIPv6(String(bare.prefix { $0 != "%" }))
        return address ?? (bare.hasSuffix(".") ? String(bare.dropLast()) : bare).lowercased()
    }

    /// Malformed pins and patterns, in words. Otherwise an unreadable pin would reject everything, or worse, allow everything.
    package var problems: [String] {
        pins.sorted { $0.key < $1.key }.flatMap { pattern, pins in
            var problems: [String] = []
            if !Self.isPattern(pattern) {
                problems.append(
                    "'\(pattern.escapingControls)' fits no host; expected name, *.name or **.name, in the form that DNS knows")
            }
            if pins.isEmpty { problems.append("the pins for '\(pattern)' are an empty list") }
            for pin in pins where !Self.isWellFormed(pin) {
                problems.append("the pin '\(pin)' for '\(pattern)' is not sha256/ and the base64 of 32 bytes")
            }
            return problems
        }
    }

    /// Whether the pattern can match a host. A mistyped pattern would silently pin nothing.
    private static func isPattern(_ pattern: String) -> Bool {
        guard let wildcard = ["**.", "*."].first(where: pattern.hasPrefix) else {
            let name = normalized(pattern)
            return isHost(name) || isHost("[\(name)]")
        }
        // An address has no subdomains.
        let name = normalized(String(pattern.dropFirst(wildcard.count)))
        return isHost(name) && !IPAddress.isIPv4(name)
    }

    private static func isHost(_ text: String) -> Bool {
        (try? HTTPURL("https://\(text)/")).map { $0.host == text && $0.port == nil } ?? false
    }

    private static func isWellFormed(_ pin: String) -> Bool {
        pin.hasPrefix("sha256/") && Data(base64Encoded: String(pin.dropFirst("sha256/".count)))?.count == 32
    }

    private static func matches(pattern: String, host: String) -> Bool {
        if pattern.hasPrefix("**.") { return host == pattern.dropFirst(3) || host.hasSuffix(pattern.dropFirst(2)) }
        if pattern.hasPrefix("*.") {
            guard let dot = host.firstIndex(of: ".") else { return false }
            return host[host.index(after: dot)...] == pattern.dropFirst(2) && dot > host.startIndex
        }
        return pattern == host
    }
}

private struct PinFile: Decodable {
    let pins: [String: [String]]
    let mode: PinSet.Mode?
    let expiry: Date?
    let modeAfterExpiry: PinSet.Mode?
    let rejectsOtherHosts: Bool?
}

extension PinSet {
    /// A verified server whose chain has none of the keys pinned for it.
    public struct Mismatch: Sendable, Hashable {
        /// The server's name.
        public let host: String
        /// The verified chain, the server's own certificate first.
        public let certificates: [Certificate]
        /// The configured pins.
        public let configured: [String]
        /// Whether the connection was rejected.
        public let isEnforced: Bool

        /// The pins of the chain; a correct set contains one of them.
        public var chain: [String] { certificates.map(\.pin) }

        package init(host: String, certificates: [Certificate], configured: [String], isEnforced: Bool) {
            (self.host, self.certificates, self.configured, self.isEnforced) = (host, certificates, configured, isEnforced)
        }

        package var reason: String {
            "expected one of \(configured.joined(separator: ", ")); the chain has \(chain.joined(separator: ", "))"
        }
    }
}
