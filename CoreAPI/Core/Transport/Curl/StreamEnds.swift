internal import CStreamEnds

/// Why a stream of HTTP/2 did not end as it should, where libcurl says only that a connection was lost.
enum StreamFailure: Equatable {
    /// The server has not processed the request, and says so (RFC 9113 §8.7).
    case refused
    /// It broke the protocol's rules; an error code of RFC 9113 §7.
    case unreadable(code: UInt32)
    /// It or another one broke them so that the whole connection is given up.
    case connectionGivenUp(code: UInt32)
    /// Its fields are more than libcurl keeps.
    case headTooLarge

    /// The code's name.
    static func name(of code: UInt32) -> String {
        switch code {
        case 1: "PROTOCOL_ERROR"
        case 2: "INTERNAL_ERROR"
        case 3: "FLOW_CONTROL_ERROR"
        case 6: "FRAME_SIZE_ERROR"
        case 9: "COMPRESSION_ERROR"
        case 11: "ENHANCE_YOUR_CALM"
        default: "error \(code)"
        }
    }
}

/// How the HTTP/2 streams of a loop end: those that their server has ended (END_STREAM, RFC 9113 §8.1) and whose transfers are not over
/// yet are kept here, and a transfer whose stream failed is told why.
///
/// A stream can stop otherwise: reset with NO_ERROR, or by the end of its connection. To libcurl each of these is a complete response, and
/// without a `Content-Length` nothing contradicts. So an end has to be seen; see `CStreamEnds.h` for how. On the loop's thread only.
final class StreamEnds {
    /// Whether they can be seen in this process. Where not, HTTP/2 is not offered to servers: HTTP/1.1 delimits every body.
    static let areSeen = cstreamends_are_seen()

    @exclusivity(unchecked) private var transfers: Set<UnsafeMutableRawPointer> = []
    /// The streams that libcurl has no room for, and the connections of which it holds what is behind.
    @exclusivity(unchecked) private var held: Set<UnsafeMutableRawPointer> = []
    /// How often libcurl is called again for what came last before that is left to time.
    @exclusivity(unchecked) private var turnsDue = 0
    @exclusivity(unchecked) private var givenUp: [CurlTransfer] = []

    /// From now on, for the connections of the calling thread.
    init() {
        listen()
    }

    private func listen() {
        cstreamends_observe(
            { context, subject, event, code in
                guard let context else { return }
                let ends = Unmanaged<StreamEnds>.fromOpaque(context).takeUnretainedValue()
                switch event {
                case CSTREAMENDS_ROOM, CSTREAMENDS_INPUT_TAKEN: return ends.release(subject)
                case CSTREAMENDS_FULL, CSTREAMENDS_INPUT_LEFT: return ends.note(subject, in: &ends.held)
                case CSTREAMENDS_ENDED: return ends.note(subject, in: &ends.transfers)
                default: break
                }
                guard let transfer = CurlHandle.transfer(of: subject), transfer.streamFailure == nil else { return }
                switch event {
                case CSTREAMENDS_BEGAN: transfer.hasStreamAnswered = true
                // Who has answered has processed, whatever it says now.
                case CSTREAMENDS_REFUSED: if !transfer.hasStreamAnswered { transfer.streamFailure = .refused }
                case CSTREAMENDS_HEAD_TOO_LARGE: ends.giveUp(transfer, .headTooLarge)
                case CSTREAMENDS_GIVEN_UP: ends.giveUp(transfer, .connectionGivenUp(code: code))
                default: ends.giveUp(transfer, .unreadable(code: code))
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func note(_ subject: UnsafeMutableRawPointer, in subjects: inout Set<UnsafeMutableRawPointer>) {
        subjects.insert(subject)
        // One brings a stream what its buffer holds, the next what was behind that, and the third what lies there for others.
        turnsDue = 3
    }

    private func release(_ subject: UnsafeMutableRawPointer) {
        if !held.isEmpty { held.remove(subject) }
    }

    private func giveUp(_ transfer: CurlTransfer, _ failure: StreamFailure) {
        transfer.streamFailure = failure
        givenUp.append(transfer)
    }

    /// Those of which nothing more can come, since this was asked last; libcurl may wait for them for ever.
    func takeGivenUp() -> [CurlTransfer] {
        guard !givenUp.isEmpty else { return [] }
        defer { givenUp = [] }
        return givenUp
    }

    /// On the thread that began it.
    deinit {
        cstreamends_observe(nil, nil)
    }

    /// Whether libcurl is to be called again because streams have ended that it has not told of, or it read more than it had room for.
    ///
    /// What one transfer reads from the connection for another lies there until that one's turn. In 7.88.1 the turn may never come: the
    /// timer that is to bring it is set during a call of `curl_multi_perform` and may be swept away at the end of the same call, and
    /// none is set for what lies behind the rest of an answer that there was no room for.
    ///
    /// - Parameter moved: whether anything came or went when libcurl was called last: then more may.
    func takeUntold(moved: Bool) -> Bool {
        guard !isEmpty else { return false }
        guard !moved || held.isEmpty else { return true }
        guard turnsDue > 0 else { return false }
        turnsDue -= 1
        return true
    }

    /// Whether the server has ended the transfer's stream; `nil` where libcurl does not let that be seen.
    func hasEnded(_ handle: CurlHandle) -> Bool? {
        cstreamends_were_asked_for() ? transfers.contains(handle.easy) : nil
    }

    /// Whether nothing has come that transfers do not know.
    var isEmpty: Bool { transfers.isEmpty && held.isEmpty }

    /// Runs what is not libcurl's: a task on this thread may use nghttp2, or a libcurl of its own.
    func pause(while body: () -> Void) {
        cstreamends_observe(nil, nil)
        body()
        listen()
    }

    func forget(_ handle: CurlHandle) {
        if !transfers.isEmpty { transfers.remove(handle.easy) }
        release(handle.easy)
    }
}
