internal import Foundation

/// Whom an environment trusts. Ordinary certificate and host name verification is always on; everything here adds to it.
public struct ServerTrustManager: Sendable, Hashable {
    /// Where the authorities come from that may vouch for a server.
    public enum Authorities: Sendable, Hashable {
        /// Those that the system's TLS library is set up with.
        case system
        /// The system's, and besides them those in this PEM text.
        case systemAndPEM(String)
        /// Only the authorities in this PEM text (`CURLOPT_CAINFO_BLOB`).
        case pem(String)
        /// Only the authorities in this PEM file (`CURLOPT_CAINFO`), read by each new connection.
        case file(String)
    }

    /// The lowest version of TLS that may be spoken (`CURLOPT_SSLVERSION`).
    public enum TLSVersion: String, Sendable, Hashable {
        case tls12, tls13
    }

    public var authorities: Authorities
    /// Pins by host, checked besides the authorities and never instead.
    public var pins: PinSet
    /// Whether ``pins`` are checked at all. Default `true`; `false` is a problem of the channel unless its environment may be
    /// simulated or the kit was built for debugging.
    public var isPinningActive: Bool
    /// Whether pinning was asked for by name, so that a set without pins is worth a warning.
    package let expectsPins: Bool
    /// What the client shows of itself. Default nothing.
    public var identity: ClientIdentity?
    /// Default TLS 1.2.
    public var minimumTLSVersion = TLSVersion.tls12

    /// - Parameters:
    ///   - authorities: see ``authorities``.
    ///   - pins: see ``pins``.
    ///   - isPinningActive: `nil` for active where there are pins; `true` says that pins are expected, and their absence is a
    ///     warning of the channel.
    ///   - identity: see ``identity``.
    public init(
        authorities: Authorities = .system, pins: PinSet = PinSet(), isPinningActive: Bool? = nil,
        identity: ClientIdentity? = nil
    ) {
        self.authorities = authorities
        self.pins = pins
        self.isPinningActive = isPinningActive ?? true
        expectsPins = isPinningActive == true
        self.identity = identity
    }

    /// This trust with pinning switched on or off by name.
    package func pinning(_ isActive: Bool) -> ServerTrustManager {
        var changed = ServerTrustManager(
            authorities: authorities, pins: pins, isPinningActive: isActive, identity: identity)
        changed.minimumTLSVersion = minimumTLSVersion
        return changed
    }

    /// The system's authorities and no pins.
    public static let system = ServerTrustManager()

    /// Only the authority that a sandbox server on this machine has made; `networker sandbox` keeps it in this file.
    public static let localSandbox = ServerTrustManager(authorities: .file(localAuthorityFile))

    /// Where the sandbox writes its authority: in this user's own folder, because whoever could write the file would be trusted.
    public static let localAuthorityFile: String = {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return (caches ?? FileManager.default.homeDirectoryForCurrentUser)
            .appendingPathComponent("networkerkit/sandbox-authority.pem").path
    }()
}

extension ServerTrustManager.Authorities {
    /// Which authorities, without their certificates.
    public var summary: String {
        switch self {
        case .system: "the system's"
        case .systemAndPEM(let text): "the system's and \(text.utf8.count) bytes of PEM"
        case .pem(let text): "given, \(text.utf8.count) bytes of PEM"
        case .file(let path): "in \(path)"
        }
    }
}
