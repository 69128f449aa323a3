internal import CCurl

/// What the loop needs of a `CURLM`: put transfers in, take them out, let them move, sleep until something happens. Today on
/// `curl_multi_poll`, which beats `curl_multi_socket_action` with epoll by a tenth at 64 transfers; the other one pays off with
/// thousands of idle ones, and would replace this type and nothing else.
///
/// Used on the loop's thread only, except for ``waker``.
final class CurlMulti {
    private let multi: UnsafeMutableRawPointer
    /// Given up only after the multi handle has closed its connections.
    let connections = LoopConnections()
    private let streamEnds = StreamEnds()

    /// - Throws: ``TransportError`` when libcurl cannot be set up.
    init(limits: Limits) throws(TransportError) {
        guard let multi = curl_multi_init() else { throw .curl(code: 27, message: "out of memory for a multi handle") }
        self.multi = multi
        try set(CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.connections)
        try set(CURLMOPT_MAX_HOST_CONNECTIONS, limits.connectionsPerHost)
        // As many may stay open between two transfers as may be open at all; the default grows and shrinks with the handles.
        try set(CURLMOPT_MAXCONNECTS, limits.connections)
        try set(CURLMOPT_MAX_CONCURRENT_STREAMS, limits.streamsPerConnection)
    }

    deinit {
        curl_multi_cleanup(multi)
    }

    var waker: Waker { Waker(multi: multi) }

    func add(_ handle: CurlHandle) throws(TransportError) {
        try check(curl_multi_add_handle(multi, handle.easy))
    }

    /// Never called from inside a callback of the handle.
    func remove(_ handle: CurlHandle) {
        curl_multi_remove_handle(multi, handle.easy)
        streamEnds.forget(handle)
    }

    /// Whether the server has ended the transfer's HTTP/2 stream; `nil` where that cannot be seen.
    func hasEndedStream(_ handle: CurlHandle) -> Bool? { streamEnds.hasEnded(handle) }

    /// The transfers whose HTTP/2 streams are given up, whatever libcurl says.
    func takeGivenUp() -> [CurlTransfer] { streamEnds.takeGivenUp() }

    /// The transfers whose answers are whole, though libcurl is still sending their requests.
    func takeWhole() -> [CurlTransfer] { streamEnds.takeWhole() }

    /// Whether answers are whole that libcurl will only tell of when it is called again.
    func hasUntoldAnswers() -> Bool { streamEnds.takeUntold(moved: connections.hasMoved) }

    /// Lets every transfer go as far as it can without waiting.
    func perform() throws(TransportError) {
        var running: Int32 = 0
        connections.beginTurn()
        try check(curl_multi_perform(multi, &running))
    }

    /// The next finished transfer and what became of it.
    func nextDone() -> (transfer: CurlTransfer, code: CURLcode)? {
        var code = CURLE_OK
        while let easy = ccurl_multi_next_done(multi, &code) {
            if let transfer = CurlHandle.transfer(of: easy) { return (transfer, code) }
        }
        return nil
    }

    /// Sleeps until a socket is ready, a timer of libcurl's is due, someone wakes it, or the time is over. A wake-up that came before
    /// the call ends it at once.
    func wait(milliseconds: Int32) throws(TransportError) {
        // Should an answer be untold still, it does not wait for the next one.
        try check(curl_multi_poll(multi, nil, 0, streamEnds.isEmpty ? milliseconds : min(milliseconds, 50), nil))
    }

    private func set(_ option: CURLMoption, _ value: Int) throws(TransportError) {
        try check(ccurl_multi_set_long(multi, option, min(max(1, value), Int(Int32.max))))
    }

    private func check(_ code: CURLMcode) throws(TransportError) {
        guard code != CURLM_OK else { return }
        throw .curl(code: Int(code.rawValue), message: String(cString: curl_multi_strerror(code)))
    }

    /// Ends the loop's sleep. `curl_multi_wakeup` is the one function of a multi handle that other threads may call.
    ///
    /// `@unchecked`: the pointer is used for `curl_multi_wakeup` only, while the loop keeps it valid.
    struct Waker: @unchecked Sendable {
        fileprivate let multi: UnsafeMutableRawPointer

        func wake() {
            curl_multi_wakeup(multi)
        }
    }
}
