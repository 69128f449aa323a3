/// Why a request could not be made from the caller's values.
public enum RequestError: Error, Sendable {
    case malformedURL(String, reason: String)
    case malformedPath(String, reason: String)
    case unsupportedScheme(String)
    case malformedHeader(name: String, reason: String)
    case malformedMethod(String)
    /// A query item without a name.
    case namelessQueryItem(value: String?)
    /// Several base URLs of equal priority at one level.
    case conflictingBaseURLs([String])
    /// Two modifiers of a type that each level may have once; see ``RequestModifier/allowsSeveral``.
    case duplicateModifier(type: String)
    /// Parameters or a body that cannot be encoded.
    case encodingFailed(encoding: String, underlying: any Error)
    /// Clear text that the environment does not allow.
    case insecureConnection(host: String)
    /// An address outside a simulated environment; see ``APIEnvironment/baseURLRule``.
    case leavesEnvironment(host: String, environment: String)

    /// A name for metrics, without any part of the request.
    public var label: String {
        switch self {
        case .malformedURL: "malformedURL"
        case .malformedPath: "malformedPath"
        case .unsupportedScheme: "unsupportedScheme"
        case .malformedHeader: "malformedHeader"
        case .malformedMethod: "malformedMethod"
        case .namelessQueryItem: "namelessQueryItem"
        case .conflictingBaseURLs: "conflictingBaseURLs"
        case .duplicateModifier: "duplicateModifier"
        case .encodingFailed: "encodingFailed"
        case .insecureConnection: "insecureConnection"
        case .leavesEnvironment: "leavesEnvironment"
        }
    }
}
