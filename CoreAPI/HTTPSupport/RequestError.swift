/// Why a request could not be made from what the caller gave.
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
    /// Two modifiers of a type that one level can have only one of; see ``RequestModifier/allowsSeveral``.
    case duplicateModifier(type: String)
    /// Parameters or a body that cannot be encoded.
    case encodingFailed(encoding: String, underlying: any Error)
    /// Clear text although the environment does not allow it.
    case insecureConnection(host: String)
    /// An address outside an environment that may be simulated; see ``APIEnvironment/baseURLRule``.
    case leavesEnvironment(host: String, environment: String)

    /// A name for metrics, without anything the request held.
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
