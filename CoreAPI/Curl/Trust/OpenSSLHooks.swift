internal import CoreAPICore
internal import CoreAPIHTTP

/// The functions of OpenSSL that report events of a connection; see ``TLSConnection``. Separate from ``OpenSSL``, so that pins
/// work with a library that lacks one of them.
struct OpenSSLHooks: Sendable {
    /// Called for a connection's states and alerts: `SSL_CTX_set_info_callback`.
    typealias Info = @convention(c) (_ session: UnsafeMutableRawPointer?, _ event: Int32, _ value: Int32) -> Void
    /// Called before and after every operation on a BIO: `BIO_set_callback_ex`.
    typealias BIOCallback =
        @convention(c) (
            _ bio: OpaquePointer?, _ operation: Int32, UnsafePointer<CChar>?, Int, Int32, Int, _ result: Int32,
            UnsafeMutablePointer<Int>?
        ) -> Int

    private typealias SetInfo = @convention(c) (OpaquePointer?, Info?) -> Void
    private typealias NewIndex =
        @convention(c) (Int32, Int, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
    private typealias SetData = @convention(c) (OpaquePointer?, Int32, UnsafeMutableRawPointer?) -> Int32
    private typealias GetData = @convention(c) (OpaquePointer?, Int32) -> UnsafeMutableRawPointer?
    private typealias GetPart = @convention(c) (OpaquePointer?) -> OpaquePointer?
    private typealias SetCallback = @convention(c) (OpaquePointer?, BIOCallback?) -> Void
    private typealias SetArgument = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    private typealias GetArgument = @convention(c) (OpaquePointer?) -> UnsafeMutableRawPointer?
    private typealias SetFlags = @convention(c) (OpaquePointer?, Int32) -> Void

    private let setInfo: SetInfo
    private let setData: SetData
    private let getData: GetData
    private let context: GetPart
    private let readBIO: GetPart
    private let setCallback: SetCallback
    private let setArgument: SetArgument
    private let getArgument: GetArgument
    private let setFlags: SetFlags
    /// The index of the pointer of ``setNote(of:_:)``: index 0 belongs to the maker of the context.
    private let index: Int32

    /// `nil` if libcurl uses another TLS library.
    static let linked = OpenSSLHooks()

    private init?() {
        guard let (ssl, crypto) = OpenSSL.libraries, let setInfo = ssl["SSL_CTX_set_info_callback"],
            let newIndex = crypto["CRYPTO_get_ex_new_index"], let setData = ssl["SSL_CTX_set_ex_data"],
            let getData = ssl["SSL_CTX_get_ex_data"], let context = ssl["SSL_get_SSL_CTX"], let readBIO = ssl["SSL_get_rbio"],
            let setCallback = crypto["BIO_set_callback_ex"], let setArgument = crypto["BIO_set_callback_arg"],
            let getArgument = crypto["BIO_get_callback_arg"], let setFlags = crypto["BIO_set_flags"]
        else { return nil }
        self.setInfo = unsafeBitCast(setInfo, to: SetInfo.self)
        self.setData = unsafeBitCast(setData, to: SetData.self)
        self.getData = unsafeBitCast(getData, to: GetData.self)
        self.context = unsafeBitCast(context, to: GetPart.self)
        self.readBIO = unsafeBitCast(readBIO, to: GetPart.self)
        self.setCallback = unsafeBitCast(setCallback, to: SetCallback.self)
        self.setArgument = unsafeBitCast(setArgument, to: SetArgument.self)
        self.getArgument = unsafeBitCast(getArgument, to: GetArgument.self)
        self.setFlags = unsafeBitCast(setFlags, to: SetFlags.self)
        // CRYPTO_EX_INDEX_SSL_CTX
        index = unsafeBitCast(newIndex, to: NewIndex.self)(1, 0, nil, nil, nil, nil)
        guard index >= 0 else { return nil }
    }

    /// Calls the function for every connection of an `SSL_CTX`.
    func setInfo(of context: UnsafeMutableRawPointer, _ info: @escaping Info) {
        setInfo(OpaquePointer(context), info)
    }

    /// Stores a pointer of the kit with an `SSL_CTX`.
    func setNote(of context: UnsafeMutableRawPointer, _ note: UnsafeMutableRawPointer) {
        _ = setData(OpaquePointer(context), index, note)
    }

    /// The pointer stored with an `SSL`'s context.
    func note(of session: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        context(OpaquePointer(session)).flatMap { getData($0, index) }
    }

    /// The BIO that an `SSL` reads from.
    func readBIO(of session: UnsafeMutableRawPointer) -> OpaquePointer? {
        readBIO(OpaquePointer(session))
    }

    func setCallback(of bio: OpaquePointer, _ callback: @escaping BIOCallback) {
        setCallback(bio, callback)
    }

    /// The kit's pointer of a BIO; `nil` at first.
    func argument(of bio: OpaquePointer) -> UnsafeMutableRawPointer? {
        getArgument(bio)
    }

    func setArgument(of bio: OpaquePointer, _ argument: UnsafeMutableRawPointer?) {
        setArgument(bio, argument)
    }

    /// Makes a failed read mean "try again later": `BIO_set_retry_read`.
    func setRetry(of bio: OpaquePointer) {
        setFlags(bio, 0x01 | 0x08)
    }
}
