public import CoreAPI
public import Foundation

/// The base class of the meal ordering's (ML) interactors: its `networkManager` sends over `Channel.ml`.
open class MLNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> {
    public init() { super.init(.ml) }
}

extension Channel {
    /// The meal ordering, signing with `ML_KEY_ID` and `ML_SECRET`.
    public static let ml = Channel(
        "ML", "meal ordering",
        hosts: [
            .production: "https://api.meals.example",
            .staging: "https://api-staging.meals.example",
            .sandbox: .local("ml"),
        ]
    )
    .with { $0.attemptMiddleware = [MLSignature()] }
    .payload(error: MLEnvelope.self) { envelope, head in
        MLError(code: envelope.fault.code, reason: envelope.fault.reason, httpStatus: head.status.code)
    }
}

/// The meal ordering's error. `error.app(MLError.self)` returns it.
public struct MLError: LocalizedError, Hashable {
    /// The error's code, for the program: 1401 for a wrong signature.
    public let code: Int
    /// The message, for people.
    public let reason: String
    /// The status line's code.
    public let httpStatus: Int

    public var errorDescription: String? { "\(reason) (\(code), status \(httpStatus))" }
}

private struct MLEnvelope: Decodable {
    let fault: Fault

    struct Fault: Decodable {
        let code: Int
        let reason: String
    }
}
