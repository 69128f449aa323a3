public import CoreAPI

/// Where the second-hand shop can be reached.
public enum DLHost: String, CaseIterable, EnvironmentType {
    case production, staging
    /// The sandbox server on this machine, at its usual port.
    case sandbox

    public var baseURL: String {
        switch self {
        case .production: "https://api.secondhand.example"
        case .staging: "https://api-staging.secondhand.example"
        case .sandbox: "https://localhost:8443/dl"
        }
    }

    public var isSimulated: Bool { self == .sandbox }

    /// The host with the trust that it needs: the system's authorities, but for the sandbox the one that it has made itself.
    public var environment: APIEnvironment {
        APIEnvironment(self, serverTrustManager: self == .sandbox ? .localSandbox : .system)
    }
}
