internal import CHTTP2Observer
internal import CoreAPIHTTP

// libcurl reports three failures alike, as a lost connection: a stream that the server rejected, one that nghttp2 rejected,
// and one whose head is too long. If nghttp2 abandoned the connection, libcurl may wait forever.
//
// The kit observes these failures itself (`HTTP2StreamMonitor`). It sends rejected requests again (RFC 9113 §8.7), and at once
// ends streams that can receive no more data. Without that view, a rejected order is reported as one that may have been
// processed, and the timeouts end the rest.

extension HTTP2StreamMonitor {
    func takeFailure(_ event: chttp2_event, of subject: UnsafeMutableRawPointer, code: UInt32) {
        guard let exchange = CurlHandle.exchange(of: subject), exchange.http2.failure == nil else { return }
        switch event {
        case CHTTP2_REFUSED:
            // A server that has answered has processed the request, even if it rejects the stream afterwards.
            if !exchange.http2.hasResponded { exchange.http2.failure = .refused }
            return
        case CHTTP2_HEAD_TOO_LARGE: exchange.http2.failure = .headTooLarge
        case CHTTP2_GIVEN_UP: exchange.http2.failure = .connectionGivenUp(code: code)
        default: exchange.http2.failure = .unreadable(code: code, field: Self.rejectedField)
        }
        givenUp.append(exchange)
    }

    /// The field that nghttp2 has just rejected, and the status of its head.
    private static var rejectedField: String? {
        let name = String(cString: chttp2_refused_field()).escapingControls
        let status = String(cString: chttp2_last_status()).escapingControls
        return name.isEmpty ? nil : status.isEmpty ? name : "\(name) in a head with status \(status)"
    }
}
