internal import CoreAPICore
internal import Foundation

/// A body that is collected whole, and decoded while it arrives.
struct CollectedBody {
    var data = Data()
    /// Decodes the body's codings; `nil` before the body's first byte, and for a body without codings.
    private(set) var decoder: ContentDecoder?
    private var hasLookedForCoding = false

    /// Adds a piece. The limit is enforced here, because `CURLOPT_MAXFILESIZE` checks the announced size, and a few kilobytes of
    /// gzip can become gigabytes. Returns whether all bytes of a body without codings are within the limit.
    ///
    /// - Parameter announced: the `Content-Length`, or -1.
    mutating func add(
        _ bytes: UnsafeBufferPointer<UInt8>, of request: PreparedRequest, _ head: borrowing HeadCollector, limit: Int,
        announced: @autoclosure () -> Int64
    ) throws(TransportError) -> Bool {
        if !hasLookedForCoding {
            hasLookedForCoding = true
            if request.decodesContent, head.framing.mayNameCodings { decoder = try ContentDecoder(head: head.bytes) }
        }
        if data.isEmpty {
            let length = Int(clamping: max(0, announced()))
            // Nearly every API response arrives in one piece.
            if decoder == nil, length == bytes.count, length <= limit {
                data = Data(buffer: bytes)
                return true
            }
            // Never so much that a lying `Content-Length` costs more than a real response.
            data.reserveCapacity(min(length, request.bodyLimit, 8 * 1_024 * 1_024))
        }
        if let decoder {
            try decoder.decode(bytes, into: &data, limit: limit)
            return true
        }
        let room = max(0, limit - data.count)
        if let start = bytes.baseAddress { data.append(start, count: min(bytes.count, room)) }
        return bytes.count <= room
    }

    mutating func forgetDecoder() { (decoder, hasLookedForCoding) = (nil, false) }
}

/// Where a body ends.
struct BodyEnd {
    private(set) var taken: Int64 = 0
    /// Bytes still expected, if libcurl ignores the body's length.
    var remaining: Int64?
    /// Whether the kit ends the body, whatever libcurl still expects: all bytes are here, or the others are not wanted. libcurl's
    /// code then means nothing, and its handle serves no other exchange.
    var isDecided = false
    /// When a redirect's collected body is given up, if the call follows it: its body is not needed.
    var redirectDue = LoopClock.never
    /// Whether the call follows the response.
    var isRedirect: Bool { redirectDue != LoopClock.never }

    /// Counts bytes that libcurl has handed over, and ends the body after the last one expected.
    mutating func take(_ count: Int) {
        taken += Int64(count)
        guard let expected = remaining else { return }
        remaining = expected - Int64(count)
        isDecided = remaining == 0
    }
}
