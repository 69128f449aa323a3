package import CoreAPICore

extension LoadedLibrary {
    /// OpenSSL's cryptography, told to leave what it holds to the system when the process exits (`OPENSSL_INIT_NO_ATEXIT`):
    /// otherwise it frees it in `exit`, where other threads still work with it, and one of 1,500 processes that had spoken TLS
    /// crashed instead of ending.
    ///
    /// To be asked for before anything of OpenSSL's is called: the first caller decides for the process.
    package static func crypto(_ names: String...) -> LoadedLibrary? {
        guard let library = names.lazy.compactMap({ LoadedLibrary($0) }).first else { return nil }
        if let initialize = library["OPENSSL_init_crypto"] {
            typealias Initialize = @convention(c) (_ options: UInt64, _ settings: OpaquePointer?) -> Int32
            _ = unsafeBitCast(initialize, to: Initialize.self)(0x0008_0000, nil)
        }
        return library
    }
}
