public import CoreAPIHTTP

extension HTTPURL: CustomReflectable, CustomDebugStringConvertible {
    /// The address with the values of secret query items hidden, unlike ``description``. Arrays, dumps and failed expectations
    /// show it.
    public var debugDescription: String { Redaction().redact(url: self).escapingControls }

    public var customMirror: Mirror { Mirror(self, children: ["address": debugDescription]) }
}
