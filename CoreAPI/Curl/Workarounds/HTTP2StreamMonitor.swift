internal import CHTTP2Observer
internal import CoreAPICore
internal import CoreAPIHTTP

/// Observes the HTTP/2 streams of a multi handle, on their way from nghttp2 to libcurl; `CHTTP2Observer.h` explains how. On the
/// loop's thread only.
///
/// It notes in an exchange why its stream failed, and keeps the streams that their server has ended (END_STREAM, RFC 9113 §8.1)
/// until their exchanges are over. libcurl does not report these facts, which the workarounds for `unannouncedEnd`,
/// `hiddenFailure`, `keptConnection`, `endlessUpload` and `lostTimer` need.
final class HTTP2StreamMonitor {
    /// Whether libcurl's calls of nghttp2 can be observed in this process.
    static let isPossible = chttp2_is_observable()

    private let library: CurlLibrary
    /// The streams that have ended.
    @exclusivity(unchecked) private(set) var ended: Set<UnsafeMutableRawPointer> = []
    /// The streams for which libcurl has no room, and the connections whose later data it holds.
    @exclusivity(unchecked) private var held: Set<UnsafeMutableRawPointer> = []
    /// How often libcurl is called again for the last data before only time decides.
    private var turnsDue = 0
    /// The exchanges that can receive no more data; libcurl may wait for them forever.
    @exclusivity(unchecked) var givenUp: [Exchange] = []
    /// Exchanges that were answered while their request was still being sent.
    @exclusivity(unchecked) private var early: [Exchange] = []

    /// - Returns: `nil` if observing is impossible.
    init?(_ library: CurlLibrary) {
        guard library.can(.streamMonitor) else { return nil }
        self.library = library
    }

    /// Observes the connections of the calling thread from now on. Called before libcurl, because a thread serves several multi
    /// handles.
    func observe() {
        chttp2_observe(
            { context, subject, event, code in
                guard let context else { return false }
                let monitor = Unmanaged<HTTP2StreamMonitor>.fromOpaque(context).takeUnretainedValue()
                guard event != CHTTP2_STOPPED else { return monitor.isEarly(subject) }
                monitor.take(event, of: subject, code: code)
                return false
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Stops observing the connections of the calling thread.
    static func stopObserving() { chttp2_observe(nil, nil) }

    private func take(_ event: chttp2_event, of subject: UnsafeMutableRawPointer, code: UInt32) {
        switch event {
        case CHTTP2_BEGAN: CurlHandle.exchange(of: subject)?.http2.hasResponded = true
        case CHTTP2_RESET: CurlHandle.exchange(of: subject)?.http2.resetCode = code
        case CHTTP2_KEPT:
            if library.has(.keptConnection) { _ = CurlHandle.exchange(of: subject)?.route.connection?.markForClose() }
        case CHTTP2_INPUT_TAKEN: release(subject)
        case CHTTP2_INPUT_LEFT: note(subject, in: &held)
        case CHTTP2_ROOM:
            count(code, of: subject)
            release(subject)
        case CHTTP2_FULL:
            count(code, of: subject)
            note(subject, in: &held)
        case CHTTP2_ENDED:
            if let exchange = CurlHandle.exchange(of: subject), exchange.upload.length != 0 {
                exchange.http2.hasEnded = true
                early.append(exchange)
            }
            note(subject, in: &ended)
        default: takeFailure(event, of: subject, code: code)
        }
    }

    private func count(_ bytes: UInt32, of subject: UnsafeMutableRawPointer) {
        CurlHandle.exchange(of: subject)?.http2.bytes += Int64(bytes)
    }

    private func note(_ subject: UnsafeMutableRawPointer, in subjects: inout Set<UnsafeMutableRawPointer>) {
        subjects.insert(subject)
        // The first call delivers a stream's buffer, the second the data after it, and the third data for other streams.
        turnsDue = 3
    }

    private func release(_ subject: UnsafeMutableRawPointer) { if !held.isEmpty { held.remove(subject) } }

    func forget(_ handle: CurlHandle) {
        if !ended.isEmpty { ended.remove(handle.easy) }
        release(handle.easy)
    }

    /// Whether to hide the reset of the stream from libcurl; see `EndlessUpload.swift`.
    private func isEarly(_ subject: UnsafeMutableRawPointer) -> Bool {
        let found = early.first { $0.phase.isActive && $0.http2.hasEnded && $0.handle?.easy == subject }
        found?.http2.isStopped = true
        return found != nil
    }

    /// The exchanges whose responses are complete although their requests are not sent: libcurl would keep sending, or wait
    /// forever.
    func takeComplete() -> [Exchange] {
        guard !early.isEmpty else { return [] }
        // An exchange that is sent again begins without a response.
        early.removeAll { !$0.phase.isActive || !$0.http2.hasEnded }
        // If the request is sent, libcurl ends the exchange.
        return early.filter { exchange in
            guard exchange.hasHead, let handle = exchange.handle, handle.receivedBytes == exchange.http2.bytes else {
                return false
            }
            return exchange.http2.isStopped || handle.uploadedBytes != exchange.upload.length
        }
    }

    /// Whether libcurl must be called again: streams have ended that it has not reported, or it read more data than it had room
    /// for. See `LostTimer.swift`.
    ///
    /// - Parameter moved: whether bytes were received or sent in libcurl's last call, so that more may follow.
    func takeHeldResponses(moved: Bool) -> Bool {
        guard mayHoldResponses else { return false }
        guard !moved || held.isEmpty else { return true }
        guard turnsDue > 0 else { return false }
        turnsDue -= 1
        return true
    }

    /// Whether data has arrived that exchanges have not received.
    var mayHoldResponses: Bool { !(ended.isEmpty && held.isEmpty) }
}

/// The facts of an exchange's HTTP/2 stream that libcurl does not report; see ``HTTP2StreamMonitor``.
struct HTTP2Stream {
    /// Why the stream failed, if libcurl does not say.
    var failure: StreamFailure?
    var resetCode: UInt32?
    var hasResponded = false
    /// Bytes of the response's body that arrived on the stream. libcurl may hold some of them.
    var bytes: Int64 = 0
    /// Whether the server has asked for no more of the request; libcurl does not know that.
    var isStopped = false
    /// Whether the server has ended the stream; noted for requests with a body.
    var hasEnded = false

    /// libcurl begins to send the request. Until then the failure of an earlier stream decides whether it may.
    mutating func beginSending() { (failure, resetCode, hasResponded) = (nil, nil, false) }
    /// The response so far is discarded. Why the stream failed stays known.
    mutating func forgetResponse() { (bytes, isStopped, hasEnded) = (0, false, false) }
}

/// Why an HTTP/2 stream failed, if libcurl reports only a lost connection.
enum StreamFailure: Equatable {
    /// The server reports that it has not processed the request (RFC 9113 §8.7).
    case refused
    /// The stream broke the protocol's rules. `field`, with its head's status, is one that HTTP/2 forbids there.
    case unreadable(code: UInt32, field: String? = nil)
    /// This or another stream broke the rules so that their connection is abandoned.
    case connectionGivenUp(code: UInt32)
    /// The server has announced, by TLS, that it sends nothing more on the connection.
    case connectionClosed
    /// The stream has more fields than libcurl keeps.
    case headTooLarge

    /// The names of the error codes, by number (RFC 9113 §7).
    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    static func name(of code: UInt32) -> String { code < names.count ? names[Int(code)] : "error \(code)" }
}
