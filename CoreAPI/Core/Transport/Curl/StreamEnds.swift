internal import CStreamEnds

/// The HTTP/2 streams that their server has ended (END_STREAM, RFC 9113 §8.1) and whose transfers are not over yet.
///
/// A stream can stop otherwise: reset with NO_ERROR, or by the end of its connection. To libcurl each of these is a complete response, and
/// without a `Content-Length` nothing contradicts. So an end has to be seen; see `CStreamEnds.h` for how. On the loop's thread only.
final class StreamEnds {
    /// Whether they can be seen in this process. Where not, HTTP/2 is not offered to servers: HTTP/1.1 delimits every body.
    static let areSeen = cstreamends_are_seen()

    private var transfers: Set<UnsafeMutableRawPointer> = []

    /// From now on, for the connections of the calling thread.
    init() {
        cstreamends_observe(
            { context, transfer in
                guard let context else { return }
                Unmanaged<StreamEnds>.fromOpaque(context).takeUnretainedValue().transfers.insert(transfer)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// On the thread that began it.
    deinit {
        cstreamends_observe(nil, nil)
    }

    func contains(_ handle: CurlHandle) -> Bool { transfers.contains(handle.easy) }

    func forget(_ handle: CurlHandle) {
        if !transfers.isEmpty { transfers.remove(handle.easy) }
    }
}
