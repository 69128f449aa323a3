import CoreAPI
import CoreAPIHTTP
import Foundation
import HTTPTypes

/// Reads a server's certificates. Uses a report-only pin that never matches, so the mismatch report contains the chain.
struct ChainProbe {
    let address: HTTPURL
    /// Verifies the server; its own pins are not checked.
    let trust: ServerTrustManager
    let timeout: Duration

    /// The verified chain, the server's own certificate first.
    ///
    /// - Throws: ``APIClientError`` if the server cannot be verified, ``UnreadableChain`` if it can and its chain is not known.
    func certificates() async throws -> [Certificate] {
        let unmatched = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        var pins = PinSet([address.host: ["sha256/\(unmatched)", "sha256/\(unmatched)"]])
        pins.mode = .reportOnly
        var environment = APIEnvironment("probe", baseURL: address.string)
        environment.serverTrustManager = trust
        environment.serverTrustManager.pins = pins
        environment.serverTrustManager.isPinningActive = true
        var channel = Channel(name: "pins", environment: environment)
        channel.limits.redirects = 0
        // Any response suffices.
        channel.modifiers = [Timeout(timeout), StatusCodeResponseVerifier(100..<1_000)]
        let found = Mutex<[Certificate]>([])
        channel.logger = FunctionLogger { event in
            if case .pinMismatch(_, let mismatch) = event { found.withLock { $0 = mismatch.certificates } }
        }
        let response = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get(""), as: .nothing)
        await channel.close()
        let certificates = found.withLock { $0 }
        guard certificates.isEmpty else { return certificates }
        throw response.error ?? UnreadableChain()
    }
}

/// A server was reached, but its certificates were not.
struct UnreadableChain: Error, Hashable, LocalizedError {
    var errorDescription: String? { "the server answered, but its certificates could not be read" }
}
