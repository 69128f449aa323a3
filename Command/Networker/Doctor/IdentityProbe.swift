import CoreAPI
import Foundation

/// Finds out whether a server wants a client certificate (mutual TLS).
///
/// Over TLS 1.3 a server rejects a missing certificate after the client has completed the handshake. A request that is being sent
/// meanwhile fails by the closed connection, and its failure hides the alert. So the probe connects and sends nothing.
struct IdentityProbe {
    let channel: Channel
    let limit: Duration

    /// What the server says about the client's certificate; `nil` if it says nothing about one.
    func rejection(after failure: TransportError) async -> String? {
        switch failure {
        case .tls(_, let reason): return Self.isAboutIdentity(reason) ? reason : nil
        case .connectionLost, .other, .truncated: break
        default: return nil
        }
        guard (try? HTTPURL(channel.environment.baseURL))?.scheme == .https,
            let transport = channel.transport as? any ConnectingTransport
        else { return nil }
        var silent = channel
        silent.transport = SilentTransport(base: transport, limit: min(limit, .seconds(2)))
        let response = await CommonDispatcher(channel: silent).response(for: TypedEndpoint.get(""), as: .nothing)
        guard case .transport(let end, _)? = response.error else { return nil }
        switch end {
        case .tls(_, let reason), .connectionLost(let reason, _): return Self.isAboutIdentity(reason) ? reason : nil
        default: return nil
        }
    }

    /// Alerts of RFC 8446 §6.2 by OpenSSL's names. Only the server sends them to a client, and it has verified nothing else.
    static func isAboutIdentity(_ reason: String) -> Bool {
        let reason = reason.lowercased()
        return reason.contains("alert ")
            && ["certificate", "unknown ca", "access denied", "handshake failure"].contains { reason.contains($0) }
    }

    /// Servers that complete the handshake without a certificate say so in the page of a 400 or 403.
    static func isAboutIdentity(_ response: Response<Void>) -> Bool {
        guard let status = response.head?.status.code, [400, 403].contains(status) else { return false }
        let page = String(decoding: response.data.prefix(4_096), as: UTF8.self).lowercased()
        return ["ssl certificate", "client certificate"].contains { page.contains($0) }
    }
}

/// Connects, sends nothing, and fails as the connection ends.
private struct SilentTransport: Transport {
    let base: any ConnectingTransport
    /// How long the server may be silent.
    let limit: Duration

    func send(_ attempt: Attempt) async -> RawResponse {
        do {
            let connection = try await base.connect(attempt)
            let clock = Task {
                try await Task.sleep(for: limit)
                connection.close()
            }
            defer { clock.cancel() }
            _ = try await connection.read()
            return attempt.failed(TransportError.timedOut(.idle, after: limit))
        } catch {
            return attempt.failed(error)
        }
    }
}
