public import CoreAPI
public import Foundation

/// The base class of the second-hand shop's (DL) interactors: its `networkManager` sends over `Channel.dl`.
open class DLNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { public init() { super.init(.dl) } }

extension Channel {
    /// The second-hand shop, with the tokens of `DL_REFRESH_TOKEN` and `DL_ACCESS_TOKEN`.
    public static let dl = Channel(
        "DL", "second-hand shop",
        hosts: [
            .production: "https://api.secondhand.example",
            .staging: "https://api-staging.secondhand.example",
            .sandbox: .local("dl"),
        ]
    )
    .with {
        $0.attemptMiddleware = [
            BearerAuthentication(
                .environment("DL_ACCESS_TOKEN", sandbox: "dl-sandbox-stale"),  // Expired, so that the demo shows a refresh.
                refreshToken: .environment("DL_REFRESH_TOKEN", sandbox: "dl-sandbox-refresh")
            ) { token, response in
                // Through the rejected call's channel, so that a swapped channel refreshes at its own host.
                try await CommonDispatcher(channel: response.call.channel)
                    .request(.post("auth/token", body: ["refreshToken": token], name: "refresh"), as: DLToken.self).accessToken
            }
        ]
    }
    .payload(error: DLEnvelope.self) { $0.errors.isEmpty ? nil : DLError(errors: $0.errors, httpStatus: $1.status.code) }
}

/// The second-hand shop's errors. `error.app(DLError.self)` returns them.
public struct DLError: LocalizedError, Hashable {
    /// One error of the list.
    public struct Entry: Decodable, Sendable, Hashable {
        /// The error's code, for the program: `order.not-found`.
        public let key: String
        /// The message, for people.
        public let message: String
    }

    /// Not empty.
    public let errors: [Entry]
    /// The status line's code.
    public let httpStatus: Int

    /// The first error's key.
    public var key: String { errors.first?.key ?? "" }
    /// The first error's message.
    public var message: String { errors.first?.message ?? "" }

    public var errorDescription: String? {
        errors.map { "\($0.message) (\($0.key))" }.joined(separator: ", ") + ", status \(httpStatus)"
    }
}

private struct DLEnvelope: Decodable { let errors: [DLError.Entry] }
private struct DLToken: Decodable { let accessToken: String }
