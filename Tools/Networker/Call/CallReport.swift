import CoreAPI
import Foundation

/// What a single request came to.
struct CallReport: Sendable {
    /// What is shown besides status, body and timeline.
    struct Extras: OptionSet, Sendable {
        let rawValue: Int

        /// Head lines both ways, secrets redacted.
        static let heads = Extras(rawValue: 1 << 0)
        /// The request as a cURL command, secrets redacted.
        static let cURL = Extras(rawValue: 1 << 1)
        /// Secrets in the cURL command, so that it can be run.
        static let secrets = Extras(rawValue: 1 << 2)
    }

    let response: Response<Data>
    /// The call and those that it caused, such as a token's refresh.
    let calls: [RecordedCall]
    let extras: Extras

    /// The exchanges of all calls, in the order in which they were sent.
    var exchanges: [Exchange] { calls.exchanges }

    /// From the call's start until it was settled.
    var elapsed: Duration? {
        calls.first { $0.id == response.call.id }?.outcome?.elapsed
    }

    /// The last attempt of the call itself, as it was sent.
    var sent: Exchange? {
        calls.first { $0.id == response.call.id }?.exchanges.last
    }

    /// The last attempt as a cURL command, if it is wanted and anything was sent.
    var cURL: String? {
        guard extras.contains(.cURL) else { return nil }
        return sent?.request.cURLDescription(revealingSecrets: extras.contains(.secrets))
    }

    /// What cURL has to be told besides, because no header says it: whom the channel trusts.
    var cURLTrust: String? {
        guard cURL != nil, sent?.request.url.scheme == .https else { return nil }
        return switch response.call.channel.environment.serverTrustManager.authorities {
        case .file(let path): "--cacert \(path)"
        case .pem, .system, .systemAndPEM: nil
        }
    }
}
