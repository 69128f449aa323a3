internal import CoreAPICore
package import CoreAPIHTTP

extension LoadedLibrary {
    /// OpenSSL's cryptography, initialised so that it frees nothing when the process exits (`OPENSSL_INIT_NO_ATEXIT`). Otherwise
    /// OpenSSL frees its memory in `exit`, while other threads still use it. One of 1,500 processes that had used TLS crashed so
    /// instead of exiting.
    ///
    /// Must be called before any other function of OpenSSL: the first caller decides for the process.
    package static func crypto(_ names: String...) -> LoadedLibrary? {
        guard let library = names.lazy.compactMap({ LoadedLibrary($0) }).first else { return nil }
        if let initialize = library["OPENSSL_init_crypto"] {
            typealias Initialize = @convention(c) (_ options: UInt64, _ settings: OpaquePointer?) -> Int32
            _ = unsafeBitCast(initialize, to: Initialize.self)(0x0008_0000, nil)
        }
        return library
    }
}
