/// A value that is never printed by accident: no description, dump, log, error text or `cURL` form shows it. Code that needs the
/// value reads `revealed`.
///
/// ```swift
/// let passphrase = Secret("open sesame")
/// print(passphrase)              // <redacted>
/// use(passphrase.revealed)
/// ```
public struct Secret<Value> {
    /// The value itself. Read it to use it, never to show it.
    public let revealed: Value

    /// Hides a value.
    public init(_ value: Value) { revealed = value }
}

extension Secret: Sendable where Value: Sendable {}
extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

/// The text in place of every hidden value.
package let redactedMask = "<redacted>"

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { redactedMask }
    public var debugDescription: String { redactedMask }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Secret: ExpressibleByUnicodeScalarLiteral, ExpressibleByExtendedGraphemeClusterLiteral, ExpressibleByStringLiteral
where Value == String {
    public init(unicodeScalarLiteral value: String) { self.init(value) }
    public init(extendedGraphemeClusterLiteral value: String) { self.init(value) }
    public init(stringLiteral value: String) { self.init(value) }
}
