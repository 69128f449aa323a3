internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Zstandard (RFC 8878), by the library that libcurl has loaded.
final class ZstdCompressor: Compressor {
    /// `ZSTD_inBuffer` and `ZSTD_outBuffer`; both have the same layout.
    struct Buffer {
        var bytes: UnsafeMutableRawPointer?
        var size: Int
        var position = 0
    }

    // `@unchecked`: the library of these functions is never unloaded.
    struct Library: @unchecked Sendable {
        typealias Create = @convention(c) () -> OpaquePointer?
        typealias Step =
            @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, _ directive: Int32) -> Int
        typealias Code = @convention(c) (Int) -> UInt32
        typealias Destroy = @convention(c) (OpaquePointer) -> Int

        let create: Create
        let step: Step
        let isError: Code
        let destroy: Destroy
    }

    static let library: Library? = {
        guard let zstd = LoadedLibrary("libzstd.so.1", "libzstd.1.dylib"), let create = zstd["ZSTD_createCCtx"],
            let step = zstd["ZSTD_compressStream2"], let isError = zstd["ZSTD_isError"], let destroy = zstd["ZSTD_freeCCtx"]
        else { return nil }
        return Library(
            create: unsafeBitCast(create, to: Library.Create.self), step: unsafeBitCast(step, to: Library.Step.self),
            isError: unsafeBitCast(isError, to: Library.Code.self), destroy: unsafeBitCast(destroy, to: Library.Destroy.self))
    }()

    /// `ZSTD_e_continue` and `ZSTD_e_end`. The library's default level uses a window of 2 MiB, which every receiver accepts (RFC
    /// 9659 §3).
    private static let (continuing, ending) = (Int32(0), Int32(2))

    private let library: Library
    private let state: OpaquePointer
    private let output: UnsafeMutableBufferPointer<UInt8>

    init?() {
        guard let library = Self.library, let state = library.create() else { return nil }
        self.library = library
        self.state = state
        output = .allocate(capacity: 64 * 1_024)
    }

    deinit {
        _ = library.destroy(state)
        output.deallocate()
    }

    func compress(_ bytes: Data, isLast: Bool) throws -> Data {
        var coded = Data()
        try bytes.withUnsafeBytes { input in
            var source = Buffer(bytes: UnsafeMutableRawPointer(mutating: input.baseAddress), size: input.count)
            var isOver = false
            while !isOver {
                var room = Buffer(bytes: output.baseAddress, size: output.count)
                let left = library.step(state, &room, &source, isLast ? Self.ending : Self.continuing)
                guard library.isError(left) == 0 else {
                    throw TransportError.other(code: 0, message: "Zstandard cannot compress the body")
                }
                coded.append(contentsOf: output[..<room.position])
                isOver = isLast ? left == 0 : source.position == source.size
            }
        }
        return coded
    }
}
