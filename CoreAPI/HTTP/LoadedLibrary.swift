internal import Foundation

/// A library that the process has loaded already, because a transport is linked with it. It is never loaded again: a second copy
/// would not know the transport's connections.
///
/// `@unchecked`: the handle is never closed.
package struct LoadedLibrary: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer

    /// - Parameter names: its file names on the systems that the kit knows.
    package init?(_ names: String...) {
        for name in names {
            if let handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD) {
                self.handle = handle
                return
            }
        }
        return nil
    }

    package subscript(symbol: String) -> UnsafeMutableRawPointer? { dlsym(handle, symbol) }
}
