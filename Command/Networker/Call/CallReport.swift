import CoreAPI
import Foundation

/// The result of a single request.
struct CallReport: Sendable {
    /// The optional parts of the report; status, body and timeline are always shown.
    struct Extras: OptionSet, Sendable {
        let rawValue: Int

        /// Head lines of requests and responses, secrets redacted.
        static let heads = Extras(rawValue: 1 << 0)
        /// The request as a cURL command, secrets redacted.
        static let cURL = Extras(rawValue: 1 << 1)
        /// Shows secrets in the cURL command, so that it can be run.
        static let secrets = Extras(rawValue: 1 << 2)
    }

    let response: Response<Data>
    /// The call and the calls that it caused, such as a token's refresh.
    let calls: [RecordedCall]
    let extras: Extras
    /// The client's certificate, for the cURL command.
    var identity: CallTarget.Identity?
    /// Set if the body was shown while it arrived.
    var streamed: StreamedBody?

    /// The exchanges of all calls, in the order in which they were sent.
    var exchanges: [Exchange] { calls.exchanges }

    /// From the call's start to its end.
    var elapsed: Duration? {
        streamed?.elapsed ?? calls.first { $0.id == response.call.id }?.outcome?.elapsed
    }

    /// The length of the body.
    var size: Int64 { streamed?.bytes ?? Int64(response.data.count) }

    /// The last attempt of the call itself, as sent.
    var sent: Exchange? {
        calls.first { $0.id == response.call.id }?.exchanges.last
    }

    /// Whether the server has answered in HTTP, at least with a status line.
    var hasResponse: Bool { exchanges.contains { $0.head != nil || $0.metrics?.httpVersion != nil } }

    /// The last attempt as a cURL command; `nil` if it was not requested or no attempt was sent.
    var cURL: String? {
        guard extras.contains(.cURL), let request = sent?.request else { return nil }
        var options: [(name: String, value: String)] = []
        if request.url.scheme == .https, case .file(let path) = response.call.channel.environment.serverTrustManager.authorities {
            options.append(("--cacert", path))
        }
        if request.url.scheme == .https { options += identity?.options ?? [] }
        return request.cURLDescription(revealingSecrets: extras.contains(.secrets), options: options)
    }
}
