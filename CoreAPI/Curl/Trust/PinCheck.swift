internal import CCurl
internal import CoreAPICore
internal import CoreAPITrust
internal import Foundation

/// Compares the chain of every new connection to one host with its pins. OpenSSL refers to it as long as a connection lives, so
/// the loop keeps it for its own lifetime. On the loop's thread only.
final class PinCheck {
    private let host: String
    private let pins: PinSet
    private let configured: [String]
    /// The mismatches of handshakes, until they are taken. A handshake does not name its exchange, but those of one host fail
    /// alike.
    private var mismatches: [(at: LoopClock.Nanoseconds, mismatch: PinSet.Mismatch)] = []

    /// - Returns: `nil` for a host without pins.
    init?(host: String, trust: ServerTrustManager) {
        configured = trust.isPinningActive ? trust.pins.pins(for: host) : []
        guard !configured.isEmpty else { return nil }
        (self.host, pins) = (host, trust.pins)
    }

    /// Sets the pins on a handle if libcurl uses a TLS library whose chain cannot be seen.
    ///
    /// - Throws: ``TransportError/unsupported(capability:)`` if the pins only report.
    func setKeys(of handle: CurlHandle) throws(TransportError) {
        guard pins.mode(at: Date()) == .enforce else {
            throw .unsupported(capability: "pins that only report (libcurl with OpenSSL)")
        }
        // The server's own key alone: this may reject too much, but never too little.
        try handle.setOnce(
            CURLOPT_PINNEDPUBLICKEY, configured.map { "sha256//" + $0.dropFirst("sha256/".count) }.joined(separator: ";"))
    }

    /// The mismatches to report for an exchange that ends: all that were let through, and its own rejected one.
    ///
    /// - Parameters:
    ///   - isRejected: whether it ended in its handshake.
    ///   - began: when it began to connect. Earlier mismatches belong to cancelled exchanges.
    func takeMismatches(isRejected: Bool, since began: LoopClock.Nanoseconds) -> [PinSet.Mismatch] {
        guard !mismatches.isEmpty else { return [] }
        var taken = mismatches.map(\.mismatch).filter { !$0.isEnforced }
        mismatches.removeAll { !$0.mismatch.isEnforced }
        if isRejected, let own = mismatches.firstIndex(where: { $0.at >= began }) {
            taken.append(mismatches.remove(at: own).mismatch)
        }
        return taken
    }

    /// Fails closed: a chain that cannot be read does not match.
    private func verify(_ store: UnsafeMutableRawPointer) -> Bool {
        guard let openSSL = OpenSSL.linked, let chain = openSSL.verifiedChain(store) else { return false }
        guard !chain.contains(where: { configured.contains($0.pin) }) else { return true }
        let isEnforced = pins.mode(at: Date()) == .enforce
        // Mismatches of cancelled exchanges must not pile up.
        if mismatches.count >= 256 { mismatches.removeFirst() }
        mismatches.append(
            (LoopClock.now(), PinSet.Mismatch(host: host, certificates: chain, configured: configured, isEnforced: isEnforced)))
        if isEnforced { openSSL.reject(store) }
        return !isEnforced
    }

    /// The check, which is the argument, must outlive the connections that it verifies.
    static var verified: OpenSSL.Verify {
        { store, check in
            guard let store, let check else { return 0 }
            return Unmanaged<PinCheck>.fromOpaque(check).takeUnretainedValue().verify(store) ? 1 : 0
        }
    }
}
