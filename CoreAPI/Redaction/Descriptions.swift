public import CoreAPIHTTP
public import Foundation

// Prints itself without its secrets: a malformed address may contain some.
extension RequestError: LocalizedError, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What was expected and what was found, for developers; secrets redacted.
    public var errorDescription: String? { description }
    public var description: String { Redaction().redact(text: text) }
    /// As ``description``.
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    private var text: String {
        switch self {
        case .malformedURL(let text, let reason): "the URL '\(text)' is malformed: \(reason)"
        case .malformedPath(let text, let reason): "the path '\(text)' is malformed: \(reason)"
        case .unsupportedScheme(let scheme): "expected an http or https URL, got the scheme '\(scheme)'"
        case .malformedHeader(let name, let reason): "the header '\(name)' is malformed: \(reason)"
        case .malformedMethod(let method): "the method '\(method)' is malformed: expected a token such as GET (RFC 9110 §9.1)"
        case .headTooLarge(let size, let limit):
            "the request's head has \(size) bytes: the URL and the headers; expected at most \(limit)"
        case .namelessQueryItem(let value):
            "expected a query item with a name, got one with an empty name and \(value == nil ? "no value" : "a value")"
        case .conflictingBaseURLs(let bases):
            "expected one base URL of the highest priority, got \(bases.joined(separator: " and "))"
        case .duplicateModifier(let type):
            "expected at most one \(type) at one level (channel, provider, endpoint or call), got several"
        case .encodingFailed(let encoding, let error):
            "the parameters cannot be encoded as \(encoding): \(error.readableDescription)"
        case .insecureConnection(let host):
            "clear text http to '\(host)' is rejected; use https, or allow it with APIEnvironment.allowsInsecureConnections"
        case .leavesEnvironment(let host, let environment):
            "expected an address of the simulated environment '\(environment)', got one at '\(host)'"
        }
    }
}

extension HTTPURL: CustomReflectable, CustomDebugStringConvertible {
    /// The address with the values of secret query items hidden, unlike ``description``. Arrays, dumps and failed expectations
    /// show it.
    public var debugDescription: String { Redaction().redact(url: self).escapingControls }
    public var customMirror: Mirror { Mirror(self, children: ["address": debugDescription]) }
}
