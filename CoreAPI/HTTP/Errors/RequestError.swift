/// Why a request could not be made from the caller's values.
public enum RequestError: Error, Sendable {
    /// An address that cannot be parsed.
    case malformedURL(String, reason: String)
    /// A path that cannot be part of an address.
    case malformedPath(String, reason: String)
    /// An address with a scheme other than http and https.
    case unsupportedScheme(String)
    /// A field's name or value that may not be sent (RFC 9110 §5.1, §5.5).
    case malformedHeader(name: String, reason: String)
    /// A method that is no token (RFC 9110 §9.1).
    case malformedMethod(String)
    /// Method, address and header lines together have more bytes than the transport can send.
    case headTooLarge(size: Int, limit: Int)
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
    /// An address outside a simulated environment; see ``APIEnvironment/overridesBaseURLs``.
    case leavesEnvironment(host: String, environment: String)

    /// A name for metrics, without any part of the request.
    public var label: String {
        switch self {
        case .malformedURL: "malformedURL"
        case .malformedPath: "malformedPath"
        case .unsupportedScheme: "unsupportedScheme"
        case .malformedHeader: "malformedHeader"
        case .malformedMethod: "malformedMethod"
        case .headTooLarge: "headTooLarge"
        case .namelessQueryItem: "namelessQueryItem"
        case .conflictingBaseURLs: "conflictingBaseURLs"
        case .duplicateModifier: "duplicateModifier"
        case .encodingFailed: "encodingFailed"
        case .insecureConnection: "insecureConnection"
        case .leavesEnvironment: "leavesEnvironment"
        }
    }
}
