internal import CoreAPICore

extension BearerAuthentication: CustomReflectable {
    /// Shows no token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
