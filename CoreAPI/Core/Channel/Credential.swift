internal import CoreAPIBase
public import Foundation

/// A secret that a channel shows to its server, or the name under which it was expected.
///
/// Never prints its value. A missing one fails the call that needs it and not the making of the channel, so that features which
/// need none still work.
public struct Credential: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The environment variable that holds it where no value is given.
    public let variable: String
    private let value: String?

    /// - Parameters:
    ///   - value: the secret; `nil` or empty counts as missing, because "set to nothing" is how many a CI unsets a variable.
    ///   - variable: see ``variable``.
    public init(_ value: String?, variable: String) {
        self.variable = variable
        self.value = value?.isEmpty == false ? value : nil
    }

    /// What the variables hold; the process's environment as it is at this moment, by default.
    public init(variable: String, in variables: [String: String] = ProcessInfo.processInfo.environment) {
        self.init(variables[variable], variable: variable)
    }

    /// Whether there is a value.
    public var isPresent: Bool { value != nil }

    /// The secret itself, for who has to hand it on. Never for a log.
    public var revealed: String? { value }

    /// The value for a request; `nil` when it is missing in a simulated environment, where nobody would look at it.
    ///
    /// - Throws: ``MissingCredential`` when it is missing anywhere else.
    public func value(for call: Call) throws(MissingCredential) -> String? {
        guard value == nil, !call.channel.environment.isSimulated else { return value }
        throw MissingCredential(channel: call.channel.name, variable: variable)
    }

    public var description: String { isPresent ? "\(variable): \(Redaction.mask)" : "\(variable): missing" }
    public var customMirror: Mirror { Mirror(self, children: ["variable": variable, "isPresent": isPresent]) }
}

/// A channel was not given a secret that it cannot do without.
public struct MissingCredential: Error, Hashable, LocalizedError {
    public let channel: String
    /// The environment variable that was expected.
    public let variable: String

    public var errorDescription: String? {
        "channel \(channel) lacks a credential; expected it in the environment variable \(variable), or where the channel is made"
    }
}
