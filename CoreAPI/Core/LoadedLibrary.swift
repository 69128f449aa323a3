#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A library that is in the process already, because libcurl is linked with it. Never loaded anew: another copy would know nothing of
/// libcurl's connections.
///
/// `@unchecked`: the handle is never closed.
package struct LoadedLibrary: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer

    /// - Parameter names: what it may be called on the systems that the kit knows.
    package init?(_ names: String...) {
        for name in names {
            if let handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD) {
                self.handle = handle
                return
            }
        }
        return nil
    }

    /// OpenSSL's cryptography, told to leave what it holds to the system when the process exits (`OPENSSL_INIT_NO_ATEXIT`): otherwise it
    /// frees it in `exit`, where other threads still work with it, and one of 1,500 processes that had spoken TLS crashed in place of ending.
    ///
    /// To be asked for before anything of OpenSSL's is called: who comes first decides for the process.
    package static func crypto(_ names: String...) -> LoadedLibrary? {
        guard let library = names.lazy.compactMap({ LoadedLibrary($0) }).first else { return nil }
        if let initialize = library["OPENSSL_init_crypto"] {
            typealias Initialize = @convention(c) (_ options: UInt64, _ settings: OpaquePointer?) -> Int32
            _ = unsafeBitCast(initialize, to: Initialize.self)(0x0008_0000, nil)
        }
        return library
    }

    package subscript(symbol: String) -> UnsafeMutableRawPointer? { dlsym(handle, symbol) }
}
