internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import Synchronization

/// One easy handle, with the buffer to which libcurl writes its error texts. It serves one exchange at a time, and several in
/// turn if they have the same ``Form``. On the loop's thread only.
final class CurlHandle {
    /// The options that stay set on a handle between exchanges.
    struct Form: Equatable {
        let scheme: HTTPURL.Scheme
        let method: String
        let isUpload: Bool
        /// Whether the response's body may be paused, and so must use HTTP/1.1.
        let streamsBody: Bool
    }

    static let living = Atomic(0)

    let connections: LoopConnections
    var library: CurlLibrary { connections.library }
    var isInMulti = false
    let easy: UnsafeMutableRawPointer
    /// The address that libcurl uses (`CURLU`).
    private let address: OpaquePointer
    private let errorText: UnsafeMutablePointer<CChar>
    /// libcurl's callbacks get the handle and find the exchange here.
    private(set) var exchange: Exchange?
    /// The options that stay set; `nil` until all of them are.
    @exclusivity(unchecked) var form: Form?
    /// Whether an option was set for one exchange that the next must not have.
    private var isSpent = false
    private var hasServed = false
    @exclusivity(unchecked) var firstField = FirstFieldCheck(isNeeded: false)
    @exclusivity(unchecked) var head = HeadCollector()
    private var bufferSize = 0
    private var connectTimeout: Duration?
    /// The URL whose scheme, host and port are set in the address.
    private var origin: HTTPURL?
    /// The `Host` line of its requests. libcurl would format its own line for each: 2,500 instructions, and three allocations.
    private var hostLines: HeaderList?
    /// The turn of the loop in which a byte was last received or sent.
    private var lastTurn: UInt?
    /// The bytes of a body received in one turn of the loop; see ``LoopConnections/mustPauseForTurn(_:after:)``.
    @exclusivity(unchecked) var burst: (turn: UInt, bytes: Int) = (0, 0)

    /// - Returns: `nil` if libcurl has no memory for another handle.
    init?(_ connections: LoopConnections) {
        guard let address = curl_url() else { return nil }
        guard let easy = curl_easy_init() else {
            curl_url_cleanup(address)
            return nil
        }
        (self.connections, self.address, self.easy) = (connections, address, easy)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        Self.living.add(1, ordering: .relaxed)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_url_cleanup(address)
        errorText.deallocate()
        Self.living.subtract(1, ordering: .relaxed)
    }

    var mayServeAgain: Bool { form != nil && !isSpent }

    func begin(_ exchange: Exchange) {
        self.exchange = exchange
        exchange.handle = self
        errorText[0] = 0
        lastTurn = nil
        burst.bytes = 0
        exchange.forgetResponse()
        firstField = FirstFieldCheck(isNeeded: hasServed && library.has(.rememberedField))
    }

    /// A byte was received or sent. The clock is read once per turn of the loop, because a head arrives in ten lines.
    // Inlined, so that nine of ten calls are a comparison.
    @inline(__always)
    func noteActivity() {
        guard lastTurn != connections.turn else { return }
        lastTurn = connections.turn
        connections.hasMoved = true
        exchange?.clock.lastActivity = LoopClock.now()
    }

    func end() {
        exchange = nil
        head.shrink()
        hasServed = true
    }

    /// The size of the receive buffer, in bytes. 64 KiB download 1.7 times as fast as the default 16 KiB, but every exchange in
    /// flight has a buffer. Beyond the 64th, the exchanges share a MiB: 4 KiB for each were an eighth of the memory of 10,000
    /// held requests.
    ///
    /// Over TLS it may be an HTTP/2 stream. Data without room stalls all other streams of its connection, so a frame must fit
    /// (RFC 9113 §4.2). libcurl 7.88.1 also needs room for a whole head (docs/decisions/libcurl.md). In clear text one turn of
    /// the loop fills one buffer of a streamed body, and wakes the reader once; TLS gives 16 KiB at a time.
    static func bufferSize(inFlight count: Int, isSecure: Bool, streamsBody: Bool) -> Int {
        if streamsBody, !isSecure, count <= 16 { return 128 * 1_024 }
        return count <= 64 ? 64 * 1_024 : max(isSecure ? 16 * 1_024 : 1_024, 1_024 * 1_024 / count)
    }

    func message(for code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    func setBufferSize(inFlight count: Int, isSecure: Bool, streamsBody: Bool) throws(TransportError) {
        let size = Self.bufferSize(inFlight: count, isSecure: isSecure, streamsBody: streamsBody)
        guard size != bufferSize else { return }
        let code = ccurl_set_long(easy, CURLOPT_BUFFERSIZE, size)
        guard code == CURLE_OK || !(hasServed && library.has(.keptBuffer)) else { return isSpent = true }
        try check(code, CURLOPT_BUFFERSIZE)
        bufferSize = size
    }

    func setConnectTimeout(_ timeout: Duration) throws(TransportError) {
        guard timeout != connectTimeout else { return }
        try set(CURLOPT_CONNECTTIMEOUT_MS, timeout.clampedMilliseconds)
        connectTimeout = timeout
    }

    /// Sets origin and target of the request. libcurl gets each only when it changes: parsing and composing an address for every
    /// request costs 10,000 instructions. And the target is sent byte for byte, without libcurl's parser.
    func setURL(_ url: HTTPURL, by proxy: Proxy?) throws(TransportError) {
        // A proxy gets the whole address. If some hosts have a proxy, every exchange sets its own.
        guard ProxyEnvironment.current == nil else {
            try set(CURLOPT_PROXY, proxy?.address ?? "")
            return try check(url.withCString { ccurl_set_string(easy, CURLOPT_URL, $0) }, CURLOPT_URL)
        }
        if origin?.hasSameOrigin(as: url) != true { try setOrigin(of: url) }
        try check(url.withTarget { ccurl_set_string(easy, CURLOPT_REQUEST_TARGET, $0) }, CURLOPT_REQUEST_TARGET)
    }

    /// - Parameter list: must live as long as the exchange.
    func setHeaders(_ list: HeaderList) throws(TransportError) {
        guard let hostLines, !list.namesHost else {
            return try check(ccurl_set_list(easy, CURLOPT_HTTPHEADER, list.first), CURLOPT_HTTPHEADER)
        }
        hostLines.precede(list)
        try check(ccurl_set_list(easy, CURLOPT_HTTPHEADER, hostLines.first), CURLOPT_HTTPHEADER)
    }

    private func setOrigin(of url: HTTPURL) throws(TransportError) {
        origin = nil
        // A line with nothing after its colon removes libcurl's own.
        let host = "Host: \(url.authority)"
        // No more room than needed: each handle keeps them, and the usual 256 bytes are mostly empty.
        var lines = HeaderListBuilder(atMost: 2, bytes: "Host:".utf8.count + host.utf8.count + 2)
        lines.add("Host:")
        lines.add(host)
        hostLines = lines.list()
        try set(CURLUPART_SCHEME, url.scheme.rawValue)
        // Newer libcurls keep a zone within the host and write it twice.
        let (name, zone) = url.hostAndZone
        try set(CURLUPART_HOST, name)
        if let zone { try set(CURLUPART_ZONEID, zone) }
        try set(CURLUPART_PORT, String(url.effectivePort))
        // libcurl makes the text of the address from the first one that it gets, and keeps it.
        try set(CURLOPT_URL, nil)
        try set(CURLOPT_CURLU, pointer: UnsafeMutableRawPointer(address))
        origin = url
    }

    private func set(_ part: CURLUPart, _ value: String) throws(TransportError) {
        let code = curl_url_set(address, part, value, 0)
        guard code != CURLUE_OK else { return }
        let reason = "CURLUPART \(part.rawValue): \(String(cString: curl_url_strerror(code)))"
        throw .other(code: Int(CURLE_URL_MALFORMAT.rawValue), message: reason)
    }

    /// Sets an option for this exchange only; the handle serves no other afterwards.
    func setOnce(_ option: CURLoption, _ value: Int) throws(TransportError) {
        isSpent = true
        try set(option, value)
    }

    func setOnce(_ option: CURLoption, _ value: String) throws(TransportError) {
        isSpent = true
        try set(option, value)
    }

    /// Forbids reuse of its connection. libcurl reads this when it ends the exchange, so it may be set while the exchange runs.
    func forbidReuse() throws(TransportError) { try setOnce(CURLOPT_FORBID_REUSE, 1) }

    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try check(ccurl_set_long(easy, option, value), option)
    }

    func set(_ option: CURLoption, offset value: Int64) throws(TransportError) {
        try check(ccurl_set_offset(easy, option, curl_off_t(value)), option)
    }

    /// `nil` removes a default.
    func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        guard let value else { return try check(ccurl_set_string(easy, option, nil), option) }
        try check(value.withCString { ccurl_set_string(easy, option, $0) }, option)
    }

    private func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer) throws(TransportError) {
        try check(ccurl_set_pointer(easy, option, pointer), option)
    }

    func set(_ option: CURLoption, blob bytes: some Sequence<UInt8>) throws(TransportError) {
        let bytes = Array(bytes)
        try check(ccurl_set_blob(easy, option, bytes, bytes.count), option)
    }

    func setSSLContext(_ callback: @escaping curl_ssl_ctx_callback, _ context: UnsafeMutableRawPointer?) throws(TransportError) {
        try check(ccurl_set_ssl_context(easy, callback, context), CURLOPT_SSL_CTX_FUNCTION)
    }

    /// Sets the callbacks, which pass everything received and sent to the handle's exchange. Sockets are noted in
    /// ``connections``, which must outlive them.
    func setCallbacks(isUpload: Bool) throws(TransportError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let registry = Unmanaged.passUnretained(connections).toOpaque()
        // Not copied.
        try set(CURLOPT_ERRORBUFFER, pointer: errorText)
        try set(CURLOPT_PRIVATE, pointer: context)
        try check(ccurl_set_header(easy, CurlCallbacks.header, context), CURLOPT_HEADERFUNCTION)
        try check(ccurl_set_write(easy, CurlCallbacks.write, context), CURLOPT_WRITEFUNCTION)
        try check(ccurl_set_read(easy, CurlCallbacks.read, context), CURLOPT_READFUNCTION)
        try check(ccurl_set_seek(easy, CurlCallbacks.seek, context), CURLOPT_SEEKFUNCTION)
        try check(ccurl_set_prereq(easy, CurlCallbacks.prerequest, context), CURLOPT_PREREQFUNCTION)
        try check(
            ccurl_set_sockets(easy, LoopConnections.open, LoopConnections.close, context, registry), CURLOPT_OPENSOCKETFUNCTION)
        if isUpload { try check(ccurl_set_progress(easy, CurlCallbacks.progress, context), CURLOPT_XFERINFOFUNCTION) }
    }

    /// A failed option fails the exchange: without it, another request than the intended one would be sent.
    private func check(_ code: CURLcode, _ option: CURLoption) throws(TransportError) {
        guard code != CURLE_OK else { return }
        let known = curl_easy_option_by_id(option).map { "CURLOPT_" + String(cString: $0.pointee.name) }
        let name = known ?? "option \(option.rawValue)"
        if [CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN].contains(code) { throw .unsupported(capability: name) }
        throw .other(code: Int(code.rawValue), message: "\(name): \(String(cString: curl_easy_strerror(code)))")
    }

    func number(_ info: CURLINFO) -> Int { ccurl_get_long(easy, info) }
    func offset(_ info: CURLINFO) -> Int64 { Int64(ccurl_get_offset(easy, info)) }
    func string(_ info: CURLINFO) -> String? { ccurl_get_string(easy, info).map { String(cString: $0) } }

    /// The handle of a callback's context; the pool and the exchange keep it alive.
    static func behind(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
        context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    static func owner(of easy: UnsafeMutableRawPointer) -> CurlHandle? { behind(ccurl_get_private(easy)) }
    static func exchange(of easy: UnsafeMutableRawPointer) -> Exchange? { owner(of: easy)?.exchange }
}

// MARK: - Options

extension CurlHandle.Form {
    init(_ request: PreparedRequest) {
        (scheme, method, streamsBody) = (request.url.scheme, request.method, request.streamsBody)
        let hasBody = !request.request.body.isNone
        // POST, PUT, PATCH and QUERY give content a meaning, so that without content they send `Content-Length: 0` (RFC 9110
        // §8.6). GET first, because each of the other methods takes a comparison.
        isUpload =
            switch method {
            case "GET": hasBody
            case "POST", "PUT", "PATCH", "QUERY": true
            default: hasBody
            }
    }
}

extension CurlHandle {
    /// Sets all options of an exchange. While it runs, only two more may be set: that its connection must not be reused, and that
    /// libcurl shows the first field.
    ///
    /// - Parameter count: exchanges that run at once, this one included.
    func setOptions(for exchange: Exchange, as form: Form, inFlight count: Int) throws(TransportError) {
        let request = exchange.request
        let isSecure = request.url.scheme == .https
        // Before any step can fail: until then the handle contains the state of the previous exchange.
        begin(exchange)
        do {
            try exchange.upload.open(for: exchange)
        } catch {
            throw .bodyUnreadable(error)
        }
        if self.form == nil {
            try setBasics(form)
            try setMethod(form)
            if isSecure { try setTrust(request.trust, host: request.url.host) }
            self.form = form
        }
        try setURL(request.url, by: request.proxy)
        try setHeaders(request.headers)
        try setConnectTimeout(request.request.timeout.connect)
        try setBufferSize(inFlight: count, isSecure: isSecure, streamsBody: request.streamsBody)
        if form.isUpload { try set(CURLOPT_INFILESIZE_LARGE, offset: exchange.upload.length ?? -1) }
        if request.connectsOnly { try setConnectOnly() }
        if exchange.sendings.needsFreshConnection { try setOnce(CURLOPT_FRESH_CONNECT, 1) }
        if isSecure {
            // Wait for a connection that is being opened instead of opening another, unless the host is known not to multiplex.
            try set(CURLOPT_PIPEWAIT, exchange.ticket?.multiplexes == false ? 0 : 1)
            try setPins(exchange.route.pinCheck)
        }
    }

    /// libcurl opens a connection and leaves it to the kit (``RawSocket``). It would agree on HTTP/2 and then read what is sent
    /// as a request of its own, unless ``CurlHandle/Form/streamsBody`` kept it to HTTP/1.1.
    private func setConnectOnly() throws(TransportError) {
        try setOnce(CURLOPT_CONNECT_ONLY, 1)
        try setOnce(CURLOPT_FRESH_CONNECT, 1)
        // In clear text, too: a proxy would otherwise expect requests (RFC 6455 §4.1).
        try setOnce(CURLOPT_HTTPPROXYTUNNEL, 1)
    }

    private func setBasics(_ form: Form) throws(TransportError) {
        try setCallbacks(isUpload: form.isUpload)
        try set(CURLOPT_NOSIGNAL, 1)
        // A name server that does not answer must not block the thread when its exchange ends. Without this option libcurl waits
        // for its resolver, beyond every timeout, and so do all other exchanges.
        if library.can(.quickExit) { try set(.quickExit, 1) }
        try allowProtocols()
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // With both options set, libcurl does not read the environment; ``ProxyEnvironment`` has done so.
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "")
        // `HTTPURL` has removed dot segments; its text is sent unchanged.
        try set(CURLOPT_PATH_AS_IS, 1)
        // HTTP/0.9 has no head: any garbage would be a successful response.
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        // A proxy's own response to CONNECT is not the server's head.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        let hasHTTP2 = form.scheme == .https && library.can(.http2) && !form.streamsBody
        try set(CURLOPT_HTTP_VERSION, hasHTTP2 ? ccurl_http_version_2_tls : ccurl_http_version_1_1)
    }

    /// `UPLOAD` is the mode that adds no `Content-Type`; the method is only a name in it (`CUSTOMREQUEST`).
    private func setMethod(_ form: Form) throws(TransportError) {
        switch form.method {
        case "HEAD": try set(CURLOPT_NOBODY, 1)
        case "GET" where !form.isUpload: try set(CURLOPT_HTTPGET, 1)
        default:
            try set(form.isUpload ? CURLOPT_UPLOAD : CURLOPT_HTTPGET, 1)
            try set(CURLOPT_CUSTOMREQUEST, form.method)
        }
    }

    /// A file:, ftp: or gopher: URL must never be fetched, even after a mistake of the kit.
    func allowProtocols() throws(TransportError) {
        if library.can(.protocolNames) {
            try set(.protocolNames, "http,https")
            try set(.redirectProtocolNames, "http,https")
        } else {
            // CURLPROTO_HTTP | CURLPROTO_HTTPS
            try set(.protocols, 1 | 2)
            try set(.redirectProtocols, 1 | 2)
        }
    }
}

/// Easy handles that have served and may serve again. Making and freeing one costs 15,000 instructions together, and setting the
/// options that stay the same costs 5,000. On the loop's thread only.
struct CurlHandlePool {
    private var handles: [CurlHandle] = []
    private let capacity: Int
    private let connections: LoopConnections

    /// - Parameter capacity: how many idle handles are kept. Each has some 8 KiB, and after an HTTP/2 stream its buffers, of up
    ///   to 64 KiB in each direction.
    init(capacity: Int, connections: LoopConnections) { (self.capacity, self.connections) = (capacity, connections) }

    /// A handle of the same form, or a new one; `nil` if libcurl has no memory for another.
    mutating func take(_ form: CurlHandle.Form) -> CurlHandle? {
        // Nearly always the last one matches. If there are many others, a new handle is cheaper than a long search.
        if let last = handles.last, last.form == form { return handles.removeLast() }
        if let index = handles.suffix(16).lastIndex(where: { $0.form == form }) {
            handles.swapAt(index, handles.count - 1)
            return handles.removeLast()
        }
        return CurlGlobal.code == CURLE_OK ? CurlHandle(connections) : nil
    }

    /// Takes back a handle that is in no multi handle, after a successful exchange.
    mutating func put(_ handle: CurlHandle) {
        guard handle.mayServeAgain, capacity > 0 else { return }
        // The oldest goes, because its form is not the one in use now.
        if handles.count >= capacity { handles.removeFirst() }
        handles.append(handle)
    }
}
