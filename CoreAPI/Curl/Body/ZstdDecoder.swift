internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Zstandard (RFC 8878), by the library that libcurl has loaded.
final class ZstdDecoder: CodingStage {
    /// `ZSTD_inBuffer` and `ZSTD_outBuffer`, whose members have the same layout.
    struct Buffer {
        var bytes: UnsafeMutableRawPointer?
        var size: Int
        var position = 0
    }

    // `@unchecked`: functions of a library that is never unloaded.
    struct Library: @unchecked Sendable {
        typealias Create = @convention(c) () -> OpaquePointer?
        typealias Set = @convention(c) (OpaquePointer, _ parameter: Int32, _ value: Int32) -> Int
        typealias Step = @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
        typealias Code = @convention(c) (Int) -> UInt32
        typealias Destroy = @convention(c) (OpaquePointer) -> Int

        let create: Create
        let set: Set
        let step: Step
        let isError: Code
        let destroy: Destroy
    }

    static let library: Library? = {
        guard let zstd = LoadedLibrary("libzstd.so.1", "libzstd.1.dylib"), let create = zstd["ZSTD_createDCtx"],
            let set = zstd["ZSTD_DCtx_setParameter"], let step = zstd["ZSTD_decompressStream"],
            let isError = zstd["ZSTD_isError"], let destroy = zstd["ZSTD_freeDCtx"]
        else { return nil }
        return Library(
            create: unsafeBitCast(create, to: Library.Create.self), set: unsafeBitCast(set, to: Library.Set.self),
            step: unsafeBitCast(step, to: Library.Step.self), isError: unsafeBitCast(isError, to: Library.Code.self),
            destroy: unsafeBitCast(destroy, to: Library.Destroy.self))
    }()

    /// 8 MiB, the window that a server may need at most (RFC 9659 §3). The parameter is `ZSTD_d_windowLogMax`.
    private static let (windowLogMax, windowBits) = (Int32(100), Int32(23))

    private let library: Library
    private let state: OpaquePointer
    private let output: UnsafeMutableBufferPointer<UInt8>
    /// Whether the last frame is whole. Several may follow each other (RFC 8878 §3.1).
    private(set) var isFinished = false
    /// Whether a frame has begun.
    private var hasBegun = false
    /// Whether the following bytes are no frame.
    private var isIgnoring = false

    init?() {
        guard let library = Self.library, let state = library.create() else { return nil }
        guard library.isError(library.set(state, Self.windowLogMax, Self.windowBits)) == 0 else {
            _ = library.destroy(state)
            return nil
        }
        self.library = library
        self.state = state
        output = .allocate(capacity: 64 * 1_024)
    }

    deinit {
        _ = library.destroy(state)
        output.deallocate()
    }

    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        var input = Buffer(bytes: UnsafeMutableRawPointer(mutating: bytes.baseAddress), size: bytes.count)
        var isFull = false
        while !isIgnoring, input.position < input.size || isFull {
            if !hasBegun || isFinished, !Self.mayBeginFrame(with: bytes[input.position]) {
                guard isFinished else { throw Self.malformed }
                // Other bytes after the end are ignored, as after gzip: the body is whole.
                return isIgnoring = true
            }
            hasBegun = true
            var room = Buffer(bytes: output.baseAddress, size: output.count)
            let result = library.step(state, &room, &input)
            if room.position > 0 { try take(UnsafeBufferPointer(rebasing: output[..<room.position])) }
            guard library.isError(result) == 0 else { throw Self.malformed }
            isFinished = result == 0
            isFull = room.position == room.size && !isFinished
        }
    }

    private static let malformed = ContentDecoder.Failure.malformed(
        "the body cannot be decoded: it is no Zstandard, or needs a window of more than 8 MiB")

    /// The first byte of a frame, or of one that is skipped (RFC 8878 §3.1.1, §3.1.2). libzstd would also read the formats from
    /// before the standard, whose result depends on how the bytes are cut.
    private static func mayBeginFrame(with byte: UInt8) -> Bool { byte == 0x28 || byte & 0xF0 == 0x50 }
}
