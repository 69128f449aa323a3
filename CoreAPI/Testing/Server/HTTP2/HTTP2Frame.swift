internal import CoreAPI
import Foundation

/// One frame of HTTP/2 (RFC 9113 §4.1).
struct HTTP2Frame {
    enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// Flags; 1 is END_STREAM in DATA and HEADERS and ACK in SETTINGS and PING.
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let endStream = Flags(rawValue: 0x1)
        static let acknowledges = Flags(rawValue: 0x1)
        static let endHeaders = Flags(rawValue: 0x4)
        static let padded = Flags(rawValue: 0x8)
        static let priority = Flags(rawValue: 0x20)
    }

    /// The client's bytes before its first frame (§3.4).
    static let preface = Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let headSize = 9
    /// The largest frame allowed by default (§4.2).
    static let largest = 16_384

    /// `nil` for an unknown kind, which a receiver ignores.
    var kind: Kind?
    var flags: Flags = []
    var stream: UInt32 = 0
    var payload = Data()

    var wire: Data {
        var wire = Self.bytes(UInt32(payload.count)).dropFirst()
        wire += [kind?.rawValue ?? 0xFF, flags.rawValue]
        wire += Self.bytes(stream) + payload
        return wire
    }

    /// Removes the first frame from the bytes; nil if it is incomplete.
    static func take(from bytes: inout Data) -> HTTP2Frame? {
        let head = Array(bytes.prefix(headSize))
        guard head.count == headSize else { return nil }
        let length = Int(number(head.prefix(3)))
        guard bytes.count >= headSize + length else { return nil }
        let payload = Data(bytes.dropFirst(headSize).prefix(length))
        bytes = Data(bytes.dropFirst(headSize + length))
        return HTTP2Frame(
            kind: Kind(rawValue: head[3]), flags: Flags(rawValue: head[4]), stream: number(head[5...]) & 0x7FFF_FFFF,
            payload: payload)
    }

    /// The payload without padding and priority; nil if these are longer than the payload.
    var content: Data? {
        var content = payload
        var padding = 0
        if flags.contains(.padded) {
            guard let length = content.popFirst() else { return nil }
            padding = Int(length)
        }
        if kind == .headers, flags.contains(.priority) { content = content.dropFirst(5) }
        guard padding <= content.count else { return nil }
        return Data(content.dropLast(padding))
    }

    static func bytes(_ number: UInt32) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
    /// At most four bytes, the most significant one first.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

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

    private let inflater: OpaquePointer
    private let inflate:
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>, UnsafePointer<UInt8>?, Int, Int32)
            -> Int
    private let end: @convention(c) (OpaquePointer?) -> Int32
    private let free: @convention(c) (OpaquePointer?) -> Void

    init() throws(LoopbackServerError) {
        let new: @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32 = try LoadedLibrary.function(
            "nghttp2_hd_inflate_new", in: .nghttp2)
        free = try LoadedLibrary.function("nghttp2_hd_inflate_del", in: .nghttp2)
        inflate = try LoadedLibrary.function("nghttp2_hd_inflate_hd2", in: .nghttp2)
        end = try LoadedLibrary.function("nghttp2_hd_inflate_end_headers", in: .nghttp2)
        var inflater: OpaquePointer?
        guard new(&inflater) == 0, let inflater else { throw .missing(function: "nghttp2_hd_inflate_new") }
        self.inflater = inflater
    }

    deinit { free(inflater) }

    /// The fields of one whole block, in order; nil if it is malformed, after which the connection is unusable.
    func fields(of block: Data) -> HeaderLines? {
        var lines = HeaderLines()
        let isComplete = block.withUnsafeBytes { bytes -> Bool in
            var rest = bytes.bindMemory(to: UInt8.self)
            while true {
                var field = Field()
                var flags: Int32 = 0
                let read = inflate(inflater, &field, &flags, rest.baseAddress, rest.count, 1)
                guard read >= 0 else { return false }
                rest = UnsafeBufferPointer(rebasing: rest.dropFirst(read))
                // `NGHTTP2_HD_INFLATE_EMIT` and `NGHTTP2_HD_INFLATE_FINAL`
                let (emits, isFinal) = (flags & 2 != 0, flags & 1 != 0)
                if emits { lines.append(Self.text(field.name, field.nameLength), Self.text(field.value, field.valueLength)) }
                if isFinal { return end(inflater) == 0 }
                if read == 0, !emits { return false }
            }
        }
        return isComplete ? lines : nil
    }

    private static func text(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
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
        var length = text.utf8.count
        block.append(UInt8(min(length, 127)))
        if length >= 127 {
            length -= 127
            while length >= 128 {
                block.append(UInt8(length & 0x7F | 0x80))
                length >>= 7
            }
            block.append(UInt8(length))
        }
        block.append(contentsOf: text.utf8)
    }
}
