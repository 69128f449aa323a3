internal import Foundation

/// An error whose `LocalizedError` text is for the user of an app. Developers read its `description`.
package protocol ErrorForUsers: Error, CustomStringConvertible {}

extension Error {
    /// The text for developers: the description of an ``ErrorForUsers``; otherwise that of `LocalizedError`, or the value itself.
    package var readableDescription: String {
        if let error = self as? any ErrorForUsers { return error.description }
        if let text = (self as? any LocalizedError)?.errorDescription { return text }
        if case let error as EncodingError = self, case .invalidValue(let value, let context) = error {
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return "\(type(of: value)) at '\(path)': \(context.debugDescription)"
        }
        return String(describing: self)
    }
}
