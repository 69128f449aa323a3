/// A test's argument of any size. The log shows its beginning and its size.
public struct Abbreviated: Sendable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }

    public var description: String {
        guard text.utf8.count > 100 else { return text.debugDescription }
        return "\(String(text.unicodeScalars.prefix(20)).debugDescription)… of \(text.utf8.count) bytes"
    }
}
