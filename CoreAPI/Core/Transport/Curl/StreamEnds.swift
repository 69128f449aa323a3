internal import CStreamEnds

/// The HTTP/2 streams that their server has ended (END_STREAM, RFC 9113 §8.1) and whose transfers are not over yet.
///
/// A stream can stop otherwise: reset with NO_ERROR, or by the end of its connection. To libcurl each of these is a complete response, and
/// without a `Content-Length` nothing contradicts. So an end has to be seen; see `CStreamEnds.h` for how. On the loop's thread only.
final class StreamEnds {
    /// Whether they can be seen in this process. Where not, HTTP/2 is not offered to servers: HTTP/1.1 delimits every body.
    static let areSeen = cstreamends_are_seen()

    private var transfers: Set<UnsafeMutableRawPointer> = []
    private var hasNew = false

    /// From now on, for the connections of the calling thread.
    init() {
        listen()
    }

    private func listen() {
        cstreamends_observe(
            { context, transfer in
                guard let context else { return }
                let ends = Unmanaged<StreamEnds>.fromOpaque(context).takeUnretainedValue()
                ends.transfers.insert(transfer)
                ends.hasNew = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// On the thread that began it.
    deinit {
        cstreamends_observe(nil, nil)
    }

    /// Whether streams have ended since this was asked last that libcurl has not told of.
    ///
    /// What one transfer reads from the connection for another lies there until that one's turn. In 7.88.1 the turn may never come: the
    /// timer that is to bring it is set during a call of `curl_multi_perform` and may be swept away at the end of the same call.
    func takeUntold() -> Bool {
        defer { hasNew = false }
        return hasNew && !transfers.isEmpty
    }

    /// Whether the server has ended the transfer's stream; `nil` where libcurl does not let that be seen.
    func hasEnded(_ handle: CurlHandle) -> Bool? {
        cstreamends_were_asked_for() ? transfers.contains(handle.easy) : nil
    }

    /// Whether there are streams that have ended and transfers that do not know.
    var isEmpty: Bool { transfers.isEmpty }

    /// Runs what is not libcurl's: a task on this thread may use nghttp2, or a libcurl of its own.
    func pause(while body: () -> Void) {
        cstreamends_observe(nil, nil)
        body()
        listen()
    }

    func forget(_ handle: CurlHandle) {
        if !transfers.isEmpty { transfers.remove(handle.easy) }
    }
}
