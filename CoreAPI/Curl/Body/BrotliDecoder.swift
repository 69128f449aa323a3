internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Brotli (RFC 7932), by the decoder that libcurl has loaded.
final class BrotliDecoder: CodingStage {
    // `@unchecked`: functions of a library that is never unloaded.
    struct Library: @unchecked Sendable {
        typealias Create = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
        typealias Step =
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<Int>,
                UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>?
            ) -> Int32
        typealias Destroy = @convention(c) (OpaquePointer) -> Void

        let create: Create
        let step: Step
        let destroy: Destroy
    }

    static let library: Library? = {
        guard let brotli = LoadedLibrary("libbrotlidec.so.1", "libbrotlidec.1.dylib"),
            let create = brotli["BrotliDecoderCreateInstance"], let step = brotli["BrotliDecoderDecompressStream"],
            let destroy = brotli["BrotliDecoderDestroyInstance"]
        else { return nil }
        return Library(
            create: unsafeBitCast(create, to: Library.Create.self), step: unsafeBitCast(step, to: Library.Step.self),
            destroy: unsafeBitCast(destroy, to: Library.Destroy.self))
    }()

    private let library: Library
    private let state: OpaquePointer
    private let output: UnsafeMutableBufferPointer<UInt8>
    private(set) var isFinished = false

    init?() {
        guard let library = Self.library, let state = library.create(nil, nil, nil) else { return nil }
        self.library = library
        self.state = state
        output = .allocate(capacity: 64 * 1_024)
    }

    deinit {
        library.destroy(state)
        output.deallocate()
    }

    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        // Bytes after the end are ignored: the body is whole.
        guard !isFinished else { return }
        var input: UnsafePointer<UInt8>? = bytes.baseAddress
        var available = bytes.count
        while true {
            var next: UnsafeMutablePointer<UInt8>? = output.baseAddress
            var room = output.count
            let result = library.step(state, &available, &input, &room, &next, nil)
            if room < output.count { try take(UnsafeBufferPointer(rebasing: output[..<(output.count - room)])) }
            switch result {
            case 1:
                isFinished = true
                return
            case 2: return  // More input is needed.
            case 3: continue  // More room is needed.
            default: throw ContentDecoder.Failure.malformed("the body cannot be decoded: it is no Brotli")
            }
        }
    }
}
