public import CoreAPI
public import Foundation
internal import HTTPTypes

/// Shows the instant delivery whose session it is: `x-session-id` with every attempt. Keeps nothing that changes.
public struct IDAuthInterceptor: RequestInterceptor {
    private let credentials: IDCredentials

    public init(credentials: IDCredentials) {
        self.credentials = credentials
    }

    /// - Throws: ``CoreAPI/MissingCredential`` when there is no session.
    public func adapt(_ request: inout Request) async throws {
        guard let sessionID = try credentials.sessionID.value(for: request.call) else { return }
        try request.setHeader("x-session-id", sessionID)
    }
}

/// Gives every POST an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), unless the caller gave it one: then a
/// repetition places no second order.
///
/// An enhancer and not part of the interceptor, because all attempts of a call must carry the same key.
public struct IDIdempotencyKey: RequestEnhancer {
    /// The header's name.
    public static let header = "Idempotency-Key"

    private let makeKey: @Sendable () -> String

    /// - Parameter makeKey: makes a key that was never used before; a random UUID by default. Called once per call, on any thread.
    public init(makeKey: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }) {
        self.makeKey = makeKey
    }

    // At `.normal`, so behind the kit's own enhancers: by then the caller's headers stand in the request.
    public func enhance(_ request: inout Request) throws {
        let isKeyed = request.headers.contains { $0.name.canonicalName == Self.header.lowercased() }
        guard request.method == .post, !isKeyed else { return }
        try request.setHeader(Self.header, makeKey())
    }
}

/// What the instant delivery knows a user by.
public struct IDCredentials: Sendable, Hashable {
    /// The environment variable that holds the session's id for production and staging.
    public static let variable = "ID_SESSION_ID"

    let sessionID: Credential

    public init(sessionID: String) {
        self.sessionID = Credential(sessionID, variable: Self.variable)
    }

    /// Takes what the variables hold; what is absent or empty is missing.
    package init(variables: [String: String]) {
        sessionID = Credential(variable: Self.variable, in: variables)
    }

    /// The sandbox's fixed session, and for the real hosts what the process's environment holds at this moment. When it holds none,
    /// the calls fail, not this.
    public static func usual(for host: IDHost) -> IDCredentials {
        switch host {
        case .sandbox: IDCredentials(sessionID: "id-sandbox-session")
        case .production, .staging: IDCredentials(variables: ProcessInfo.processInfo.environment)
        }
    }
}
