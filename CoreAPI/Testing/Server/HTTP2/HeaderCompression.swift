internal import CoreAPI
import Foundation

/// HTTP/2 header fields (HPACK, RFC 7541). nghttp2 decodes the client's compressed fields. The server sends its own uncompressed,
/// which is allowed and needs no state.
final class HeaderDecoder {
    /// `nghttp2_nv`
    private struct Field {
        var name: UnsafePointer<UInt8>?
        var value: UnsafePointer<UInt8>?
        var nameLength = 0
        var valueLength = 0
        var flags: UInt8 = 0
    }

    private typealias New = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias Inflate =
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>, UnsafePointer<UInt8>?, Int, Int32)
        -> Int
    private typealias End = @convention(c) (OpaquePointer?) -> Int32

    private let inflater: OpaquePointer
    private let inflate: Inflate
    private let end: End
    private let free: Free

    init() throws(LoopbackServerError) {
        let new: New = try LoadedLibrary.function("nghttp2_hd_inflate_new", in: .nghttp2)
        free = try LoadedLibrary.function("nghttp2_hd_inflate_del", in: .nghttp2)
        inflate = try LoadedLibrary.function("nghttp2_hd_inflate_hd2", in: .nghttp2)
        end = try LoadedLibrary.function("nghttp2_hd_inflate_end_headers", in: .nghttp2)
        var inflater: OpaquePointer?
        guard new(&inflater) == 0, let inflater else { throw .missing(function: "nghttp2_hd_inflate_new") }
        self.inflater = inflater
    }

    deinit {
        free(inflater)
    }

    /// The fields of one whole block, in order; nil if it is malformed, after which the connection is unusable.
    func fields(of block: Data) -> HeaderLines? {
        var lines = HeaderLines()
        let isComplete = block.withUnsafeBytes { bytes -> Bool in
            var rest = bytes.bindMemory(to: UInt8.self)
            while true {
                var field = Field()
                var flags: Int32 = 0
                let read = withUnsafeMutableBytes(of: &field) { field -> Int in
                    guard let address = field.baseAddress else { return -1 }
                    return inflate(inflater, address, &flags, rest.baseAddress, rest.count, 1)
                }
                guard read >= 0 else { return false }
                rest = UnsafeBufferPointer(rebasing: rest.dropFirst(read))
                if flags & Self.emits != 0 {
                    lines.append(Self.text(field.name, field.nameLength), Self.text(field.value, field.valueLength))
                }
                if flags & Self.isFinal != 0 { return end(inflater) == 0 }
                if read == 0, flags & Self.emits == 0 { return false }
            }
        }
        return isComplete ? lines : nil
    }

    /// Encodes fields as literals that are never indexed (§6.2.3), names in lower case.
    static func block(_ lines: [HeaderLines.Line]) -> Data {
        var block = Data()
        for line in lines {
            block.append(0x10)
            append(line.name.lowercased(), to: &block)
            append(line.value, to: &block)
        }
        return block
    }

    /// Appends a string without Huffman coding (§5.2); its length is an integer with a seven-bit prefix (§5.1).
    private static func append(_ text: String, to block: inout Data) {
        let bytes = Array(text.utf8)
        if bytes.count < 127 {
            block.append(UInt8(bytes.count))
        } else {
            block.append(127)
            var rest = bytes.count - 127
            while rest >= 128 {
                block.append(UInt8(rest & 0x7F | 0x80))
                rest >>= 7
            }
            block.append(UInt8(rest))
        }
        block.append(contentsOf: bytes)
    }

    private static func text(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
    }

    /// `NGHTTP2_HD_INFLATE_FINAL` and `NGHTTP2_HD_INFLATE_EMIT`
    private static let isFinal: Int32 = 1
    private static let emits: Int32 = 2
}
