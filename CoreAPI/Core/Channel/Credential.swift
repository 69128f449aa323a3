internal import CoreAPIBase
public import Foundation

/// A secret of a channel, or the name of the variable in which it was expected.
///
/// Never prints its value. A missing value fails the call that needs it. Making the channel succeeds, so that features without
/// the secret work.
public struct Credential: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The environment variable that holds the secret if no value is given.
    public let variable: String
    private let value: String?

    /// Takes a secret that may be missing.
    ///
    /// - Parameters:
    ///   - value: the secret. `nil` or empty counts as missing, because many CI systems unset a variable by setting it to
    ///     nothing.
    ///   - variable: see ``variable``.
    public init(_ value: String?, variable: String) {
        self.variable = variable
        self.value = value?.isEmpty == false ? value : nil
    }

    /// The value of a variable; by default in the process's environment as it is now.
    public init(variable: String, in variables: [String: String] = ProcessInfo.processInfo.environment) {
        self.init(variables[variable], variable: variable)
    }

    /// Whether there is a value.
    public var isPresent: Bool { value != nil }

    /// The secret itself, for code that passes it on. Never log it.
    public var revealed: String? { value }

    /// The value for a request. Returns `nil` in a simulated environment, whose server ignores credentials.
    ///
    /// - Throws: ``MissingCredential`` if it is missing elsewhere.
    public func value(for call: Call) throws(MissingCredential) -> String? {
        guard value == nil, !call.channel.environment.isSimulated else { return value }
        throw MissingCredential(channel: call.channel.name, variable: variable)
    }

    public var description: String { isPresent ? "\(variable): \(Redaction.mask)" : "\(variable): missing" }
    public var customMirror: Mirror { Mirror(self, children: ["variable": variable, "isPresent": isPresent]) }
}

/// A channel has no value for a secret that it needs.
public struct MissingCredential: Error, Hashable, LocalizedError {
    /// The channel's name.
    public let channel: String
    /// The environment variable that was expected.
    public let variable: String

    public var errorDescription: String? {
        "channel \(channel) lacks a credential; expected it in the environment variable \(variable), or where the channel is made"
    }
}
