internal import CCurl
internal import CoreAPICore
internal import Foundation

/// Compares the chain of every new connection to one host with the pins for it. OpenSSL keeps a reference for as long as a
/// connection lives, so the loop keeps it for as long as itself. On the loop's thread only.
final class PinCheck {
    private let host: String
    private let pins: PinSet
    private let configured: [String]
    /// What handshakes came to, until it is taken. A handshake does not say whose it is, but those of one host fail alike.
    private var mismatches: [(at: LoopClock.Nanoseconds, mismatch: PinMismatch)] = []

    /// - Returns: `nil` for a host without pins.
    init?(host: String, trust: ServerTrustManager) {
        configured = trust.isPinningActive ? trust.pins.pins(for: host) : []
        guard !configured.isEmpty else { return nil }
        self.host = host
        pins = trust.pins
    }

    /// Where the chain cannot be seen, because libcurl speaks TLS by another library than OpenSSL.
    ///
    /// - Throws: ``TransportError/unsupported(capability:)`` where the pins only report.
    func setKeys(of handle: CurlHandle) throws(TransportError) {
        guard pins.mode(at: Date()) == .enforce else {
            throw .unsupported(capability: "pins that only report (libcurl with OpenSSL)")
        }
        // The server's own key alone: refuses more than it should and nothing less.
        try handle.setOnce(
            CURLOPT_PINNEDPUBLICKEY, configured.map { "sha256//" + $0.dropFirst("sha256/".count) }.joined(separator: ";"))
    }

    /// What a transfer that ends has to tell: every mismatch that was let through, and of those that were refused its own.
    ///
    /// - Parameters:
    ///   - isRefused: whether it ended in its handshake.
    ///   - began: when it began to connect. Earlier mismatches belong to transfers that were cancelled.
    func takeMismatches(isRefused: Bool, since began: LoopClock.Nanoseconds) -> [PinMismatch] {
        guard !mismatches.isEmpty else { return [] }
        var taken = mismatches.map(\.mismatch).filter { !$0.isEnforced }
        mismatches.removeAll { !$0.mismatch.isEnforced }
        if isRefused, let own = mismatches.firstIndex(where: { $0.at >= began }) {
            taken.append(mismatches.remove(at: own).mismatch)
        }
        return taken
    }

    /// Fails closed: a chain that cannot be read does not match.
    private func verify(_ store: OpaquePointer) -> Bool {
        guard let openSSL = OpenSSL.linked, let chain = openSSL.verifiedChain(store) else { return false }
        guard !chain.contains(where: { configured.contains($0.pin) }) else { return true }
        let isEnforced = pins.mode(at: Date()) == .enforce
        // Mismatches of transfers that were cancelled meanwhile must not pile up.
        if mismatches.count >= Self.longest { mismatches.removeFirst() }
        mismatches.append(
            (LoopClock.now(), PinMismatch(host: host, certificates: chain, configured: configured, isEnforced: isEnforced)))
        if isEnforced { openSSL.refuse(store) }
        return !isEnforced
    }

    private static let longest = 256

    /// Has every connection of a context of OpenSSL's verified by the check, which must outlive them.
    static func attach(_ check: UnsafeMutableRawPointer, to context: UnsafeMutableRawPointer, _ openSSL: OpenSSL) {
        openSSL.setVerify(of: context, to: PinCheck.verified, check)
    }

    private static var verified: OpenSSL.Verify {
        { store, check in
            guard let store, let check else { return 0 }
            return Unmanaged<PinCheck>.fromOpaque(check).takeUnretainedValue().verify(store) ? 1 : 0
        }
    }
}
