public import Foundation

/// Certificates of a host, as your own type: an enum with one case for each host, or a struct.
///
/// ```swift
/// enum ShopCertificate: PinnedCertificate, CaseIterable {
///     case api, images
///
///     var evaluatorKey: String { self == .api ? "api.shop.example" : "*.images.shop.example" }
///     var files: [Certificate.File] { [Certificate.File(name: "shop", type: "der")] }
/// }
///
/// environment.serverTrustManager = try ShopCertificate.serverTrustManager
/// ```
///
/// The certificates' public keys are pinned (``PinSet``), so a renewed certificate with the same key still matches. Ordinary
/// verification comes first and is never replaced.
public protocol PinnedCertificate: Sendable {
    /// The certificate files. Any of their keys may match any certificate of the host's chain.
    var files: [Certificate.File] { get }
    /// The host, or a pattern of ``PinSet``.
    var evaluatorKey: String { get }
    /// Whether hosts without certificates are rejected. Default `true`.
    var allHostsMustBeEvaluated: Bool { get }
}

extension PinnedCertificate {
    public var allHostsMustBeEvaluated: Bool { true }

    /// The host's pins. Throws ``Certificate/ReadError`` for an unreadable file or one without a certificate.
    public var pins: PinSet {
        get throws(Certificate.ReadError) {
            var pins: [String] = []
            for file in files { pins += try file.certificates.map(\.pin) }
            guard !pins.isEmpty else { throw .malformed("expected a certificate for '\(evaluatorKey)', got no file") }
            var set = PinSet([evaluatorKey: pins])
            set.rejectsOtherHosts = allHostsMustBeEvaluated
            return set
        }
    }

    /// The system's authorities and the host's pins. Throws as ``pins``.
    public var serverTrustManager: ServerTrustManager {
        get throws(Certificate.ReadError) { ServerTrustManager(pins: try pins, isPinningActive: true) }
    }
}

extension PinnedCertificate where Self: CaseIterable {
    /// The system's authorities and the pins of all hosts. Other hosts are rejected if every case says so. Throws as ``pins``.
    public static var serverTrustManager: ServerTrustManager {
        get throws(Certificate.ReadError) {
            var all: [String: [String]] = [:]
            for host in allCases { try all.merge(host.pins.pins, uniquingKeysWith: +) }
            var set = PinSet(all)
            set.rejectsOtherHosts = !all.isEmpty && allCases.allSatisfy(\.allHostsMustBeEvaluated)
            return ServerTrustManager(pins: set, isPinningActive: true)
        }
    }
}

extension Certificate {
    /// A file with a certificate in DER, or with one or more in PEM.
    public struct File: Sendable, Hashable {
        /// The path of the file.
        public let path: String

        /// Names a file, which ``certificates`` reads.
        public init(path: String) { self.path = path }

        /// A resource of a bundle, by its name and extension.
        public init(name: String, type: String = "der", bundle: Bundle = .main) {
            // If it does not exist, reading the file reports it.
            path = bundle.path(forResource: name, ofType: type) ?? "\(name).\(type)"
        }

        /// The certificates in the file. Throws ``Certificate/ReadError``.
        public var certificates: [Certificate] {
            get throws(Certificate.ReadError) {
                let data = try Certificate.contents(ofFile: path)
                guard data.firstRange(of: Data("-----BEGIN ".utf8)) != nil else { return [try Certificate(der: data)] }
                let certificates = try Certificate.all(inPEM: String(decoding: data, as: UTF8.self))
                guard !certificates.isEmpty else { throw .unreadable(file: path, reason: "expected a certificate, got none") }
                return certificates
            }
        }
    }
}
