internal import Foundation

/// The servers that an environment trusts. Certificates and host names are always verified; all settings here add to that.
public struct ServerTrustManager: Sendable, Hashable {
    /// The source of the authorities that may vouch for a server.
    public enum Authorities: Sendable, Hashable {
        /// The authorities of the system's TLS library.
        case system
        /// The system's, and in addition those in this PEM text.
        case systemAndPEM(String)
        /// Only the authorities in this PEM text (`CURLOPT_CAINFO_BLOB`).
        case pem(String)
        /// Only the authorities in this PEM file (`CURLOPT_CAINFO`), read by each new connection.
        case file(String)
    }

    /// The lowest allowed version of TLS (`CURLOPT_SSLVERSION`).
    public enum TLSVersion: String, Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// Who may sign the servers' certificates.
    public var authorities: Authorities
    /// Pins by host, checked in addition to the authorities.
    public var pins: PinSet
    /// Whether ``pins`` are checked at all. Default `true`. `false` is a problem of the channel, unless its environment is
    /// simulated or the kit was built for debugging.
    public var isPinningActive: Bool
    /// Whether pinning was requested explicitly, so that a set without pins deserves a warning.
    package private(set) var expectsPins: Bool
    /// The certificate and key that the client shows to a server that asks for one (mutual TLS). Default none.
    ///
    /// The texts are read when the value is made. A service whose files are renewed sets a new value, usually through an
    /// `APIEnvironment.Switch`; the page "mTLS: client certificates" has an example. The next call uses it, over a new
    /// connection. libcurl's transport only; `URLSessionTransport` rejects it.
    public var identity: ClientIdentity?
    /// Default TLS 1.2.
    public var minimumTLSVersion = TLSVersion.tls12

    /// Makes a trust manager.
    ///
    /// - Parameter isPinningActive: `nil` to check pins if there are any. `true` expects pins; a set without them is a warning of
    ///   the channel. The others are as the properties.
    public init(
        authorities: Authorities = .system, pins: PinSet = PinSet(), isPinningActive: Bool? = nil,
        identity: ClientIdentity? = nil
    ) {
        (self.authorities, self.pins, self.identity) = (authorities, pins, identity)
        (self.isPinningActive, expectsPins) = (isPinningActive ?? true, isPinningActive == true)
    }

    /// This trust with pinning explicitly switched on or off.
    package func pinning(_ isActive: Bool) -> ServerTrustManager {
        var changed = self
        (changed.isPinningActive, changed.expectsPins) = (isActive, isActive)
        return changed
    }

    /// Takes each setting of `other` that differs from `table`'s.
    package mutating func take(from other: ServerTrustManager, unlessIn table: ServerTrustManager, authorities: Bool) {
        if authorities, other.authorities != table.authorities { self.authorities = other.authorities }
        if other.pins != table.pins { pins = other.pins }
        if other.isPinningActive != table.isPinningActive { isPinningActive = other.isPinningActive }
        if other.expectsPins != table.expectsPins { expectsPins = other.expectsPins }
        if other.identity != table.identity { identity = other.identity }
        if other.minimumTLSVersion != table.minimumTLSVersion { minimumTLSVersion = other.minimumTLSVersion }
    }

    /// The system's authorities and no pins.
    public static let system = ServerTrustManager()
    /// Only the authority of a sandbox server on this machine; `networker sandbox` keeps it in this file.
    public static let localSandbox = ServerTrustManager(authorities: .file(localAuthorityFile))

    /// The file of the sandbox's authority. It is in this user's own folder, because a program that can write it would be
    /// trusted.
    public static let localAuthorityFile: String = {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return (caches ?? FileManager.default.homeDirectoryForCurrentUser)
            .appendingPathComponent("networkerkit/sandbox-authority.pem").path
    }()
}

extension ServerTrustManager.Authorities: CustomStringConvertible, CustomReflectable {
    /// The source of the authorities, without their certificates.
    public var summary: String {
        switch self {
        case .system: "the system's"
        case .systemAndPEM(let text): "the system's and \(text.utf8.count) bytes of PEM"
        case .pem(let text): "given, \(text.utf8.count) bytes of PEM"
        case .file(let path): "in \(path)"
        }
    }

    /// As ``summary``.
    public var description: String { summary }
    public var customMirror: Mirror { Mirror(self, children: ["summary": summary]) }
}

extension ServerTrustManager: CustomStringConvertible, CustomReflectable {
    /// The authorities, the patterns that are pinned, whether there is an identity, and the lowest version of TLS.
    public var description: String {
        let pinned = pins.isEmpty ? "" : ", pins for \(pins.pins.keys.sorted().joined(separator: " "))"
        let active = isPinningActive ? "" : ", pinning off"
        let lowest = minimumTLSVersion == .tls13 ? ", TLS 1.3" : ""
        return "authorities: \(authorities)\(pinned)\(active)\(identity.map { ", \($0)" } ?? "")\(lowest)"
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
