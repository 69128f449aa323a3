internal import Foundation

/// A library that the process has loaded already, because a transport is linked with it. It is never loaded again: a second copy
/// would not know the transport's connections.
///
/// `@unchecked`: the handle is never closed.
package struct LoadedLibrary: @unchecked Sendable {
    /// The library, or one of its functions, is not there.
    package struct MissingFunction: Error { package init() {} }

    private let handle: UnsafeMutableRawPointer

    /// - Parameter names: its file names on the systems that the kit knows.
    package init?(_ names: String...) {
        guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_LAZY | RTLD_NOLOAD) }).first else { return nil }
        self.handle = handle
    }

    /// A function by name. `Function` must be its C type.
    package func function<Function>(_ name: String) throws(MissingFunction) -> Function {
        guard let pointer = dlsym(handle, name) else { throw MissingFunction() }
        return unsafeBitCast(pointer, to: Function.self)
    }
}
