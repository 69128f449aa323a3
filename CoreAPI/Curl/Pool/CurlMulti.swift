internal import CCurl
internal import CoreAPICore
internal import Foundation

/// A loop's interface to a `CURLM`: it adds and removes exchanges, and advances them when something happens. On the loop's thread
/// only.
///
/// The loop waits for several of them at once. So libcurl names the sockets to wait for (`CURLMOPT_SOCKETFUNCTION`), and the loop
/// reports their events (`curl_multi_socket_action`). The loop asks for the next timer (`curl_multi_timeout`) after every call.
/// Nothing depends on `CURLMOPT_TIMERFUNCTION`, which is not called if a timer stays the same.
final class CurlMulti {
    private let multi: UnsafeMutableRawPointer
    let sockets: PollSet
    /// Lives until the multi handle has closed its connections.
    let connections: LoopConnections
    let monitor: HTTP2StreamMonitor?
    private(set) var handles = 0
    var watched = 0
    /// Whether libcurl was called in this turn, and for how many sockets.
    private(set) var isInTurn = false
    private var served = 0
    /// When libcurl must be called next; `nil` if that may have changed.
    private var timer: LoopClock.Nanoseconds?
    private var failure: TransportError?
    /// See ``CurlDefect/spinningUpload``.
    @exclusivity(unchecked) var idleRoom = IdleRoom()
    /// The raw connections, by socket; libcurl does not watch them.
    @exclusivity(unchecked) private var raw: [Int32: Exchange] = [:]
    /// Those whose sockets became ready.
    @exclusivity(unchecked) var readyRaw: [Exchange] = []

    /// - Parameter streams: the limit per HTTP/2 connection.
    /// - Throws: ``TransportError`` if libcurl cannot be set up.
    init(_ share: ConnectionShare, streams: Int, sockets: PollSet, library: CurlLibrary) throws(TransportError) {
        guard CurlGlobal.code == CURLE_OK else {
            throw .other(code: Int(CurlGlobal.code.rawValue), message: String(cString: curl_easy_strerror(CurlGlobal.code)))
        }
        guard let multi = curl_multi_init() else { throw .other(code: 27, message: "out of memory for a multi handle") }
        self.multi = multi
        self.sockets = sockets
        connections = LoopConnections(sockets, library)
        monitor = HTTP2StreamMonitor(library)
        do throws(TransportError) {
            try set(CURLMOPT_MAX_TOTAL_CONNECTIONS, share.inAll)
            try set(CURLMOPT_MAX_HOST_CONNECTIONS, share.perHost)
            // As many may stay open between exchanges as may be open at all; the default follows the number of handles.
            try set(CURLMOPT_MAXCONNECTS, share.inAll)
            try set(CURLMOPT_MAX_CONCURRENT_STREAMS, streams)
            try check(ccurl_multi_set_sockets(multi, Self.watch, Unmanaged.passUnretained(self).toOpaque()))
        } catch {
            curl_multi_cleanup(multi)
            throw error
        }
    }

    /// Closes the connections. Called once, as the last step, when no handle is in it any more.
    func close() {
        observe()
        curl_multi_cleanup(multi)
        // The monitor ends with the multi handle.
        HTTP2StreamMonitor.stopObserving()
        sockets.forgetAll(of: self)
    }

    func add(_ handle: CurlHandle) throws(TransportError) {
        timer = nil
        try check(curl_multi_add_handle(multi, handle.easy))
        handle.isInMulti = true
        handles += 1
    }

    /// Never called from inside a callback of the handle. Does nothing for a handle that could not be added.
    func remove(_ handle: CurlHandle) {
        guard handle.isInMulti else { return }
        handle.isInMulti = false
        timer = nil
        observe()
        curl_multi_remove_handle(multi, handle.easy)
        monitor?.forget(handle)
        handles -= 1
    }

    /// A thread serves several multi handles, each with its own monitor or without one.
    private func observe() { if let monitor { monitor.observe() } else { HTTP2StreamMonitor.stopObserving() } }

    /// Whether libcurl may be called for another socket in this turn.
    func mayBeServed(atMost count: Int) -> Bool {
        served += 1
        return served <= count
    }

    func act(on descriptor: Int32, _ events: Int16) {
        if let exchange = raw[descriptor] {
            readyRaw.append(exchange)
            return beginTurn()
        }
        // As libcurl maps the events of its own polling (`Curl_socket_check`).
        var selected: Int32 = 0
        if events & Int16(POLLIN | POLLERR | POLLHUP) != 0 { selected |= CURL_CSELECT_IN }
        if events & Int16(POLLOUT) != 0 { selected |= CURL_CSELECT_OUT }
        if events & Int16(POLLNVAL) != 0 { selected |= CURL_CSELECT_ERR }
        connections.hasWritten = false
        act { curl_multi_socket_action(multi, descriptor, selected, $0) }
        noteRoom(in: descriptor, events)
    }

    /// Starts the added exchanges, and does the work that is due.
    func actOnTimers() { act { curl_multi_socket_action(multi, ccurl_bad_socket, 0, $0) } }
    /// Advances every exchange as far as possible, whether its socket is ready or not.
    func actOnAll() { act { ccurl_multi_act_on_all(multi, $0) } }

    private func act(_ call: (_ running: UnsafeMutablePointer<Int32>) -> CURLMcode) {
        beginTurn()
        var running: Int32 = 0
        do throws(TransportError) {
            try check(call(&running))
        } catch {
            failure = failure ?? error
        }
    }

    /// Resumes a paused exchange. Its callbacks may be called inside, and again in the next turn. Returns the error if the
    /// exchange cannot continue; libcurl does not end it by itself then.
    func resume(_ handle: CurlHandle) -> CURLcode {
        beginTurn()
        return curl_easy_pause(handle.easy, CURLPAUSE_CONT)
    }

    /// Begins to serve a raw connection, which stays in the multi handle: its removal would close it.
    func keep(_ connection: RawSocket, of exchange: Exchange) { raw[connection.descriptor] = exchange }

    /// Moves bytes, and waits for the events that allow more.
    func move(_ connection: RawSocket) -> RawSocket.Move {
        beginTurn()
        let move = connection.move()
        // Without events `poll` would still report a hang-up, over and over.
        if case .waits(let events, _) = move, events != 0 {
            sockets.watch(connection.descriptor, events: events, for: self)
        } else {
            sockets.forget(connection.descriptor, of: self)
        }
        return move
    }

    func forget(_ connection: RawSocket) {
        raw[connection.descriptor] = nil
        sockets.forget(connection.descriptor, of: self)
    }

    /// Throws an error that affects all exchanges of the turn.
    func endTurn() throws(TransportError) {
        (isInTurn, served) = (false, 0)
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    private func beginTurn() {
        timer = nil
        observe()
        guard !isInTurn else { return }
        isInTurn = true
        connections.beginTurn(handles)
    }

    /// When libcurl must be called, with or without a socket event.
    func timerDue(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        if let timer { return timer }
        var milliseconds = -1
        curl_multi_timeout(multi, &milliseconds)
        let due = milliseconds < 0 ? LoopClock.never : now + LoopClock.Nanoseconds(milliseconds) * 1_000_000
        timer = due
        return due
    }

    func nextDone() -> (exchange: Exchange, code: CURLcode)? {
        var code = CURLE_OK
        while let easy = ccurl_multi_next_done(multi, &code) {
            if let exchange = CurlHandle.exchange(of: easy) { return (exchange, code) }
        }
        return nil
    }

    /// `CURLMOPT_SOCKETFUNCTION`
    private static var watch: curl_socket_callback {
        { _, descriptor, what, context, _ in
            guard let context else { return 0 }
            let multi = Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
            multi.idleRoom.forget(descriptor)
            switch what {
            case CURL_POLL_IN: multi.sockets.watch(descriptor, events: Int16(POLLIN), for: multi)
            case CURL_POLL_OUT: multi.sockets.watch(descriptor, events: Int16(POLLOUT), for: multi)
            case CURL_POLL_INOUT: multi.sockets.watch(descriptor, events: Int16(POLLIN | POLLOUT), for: multi)
            default: multi.sockets.forget(descriptor, of: multi)
            }
            return 0
        }
    }

    private func set(_ option: CURLMoption, _ value: Int) throws(TransportError) {
        try check(ccurl_multi_set_long(multi, option, min(max(1, value), Int(Int32.max))))
    }

    private func check(_ code: CURLMcode) throws(TransportError) {
        guard code != CURLM_OK else { return }
        throw .other(code: Int(code.rawValue), message: String(cString: curl_multi_strerror(code)))
    }
}
