internal import CCurl
package import CoreAPICore
package import CoreAPIHTTP
internal import CoreAPIRedaction
internal import CoreAPITrust
internal import Foundation
internal import HTTPTypes

/// One exchange, checked and prepared by the sending task, so that the loop's thread only hands it to libcurl.
struct PreparedRequest: Sendable {
    let attempt: Attempt
    let method: String
    let isIdempotent: Bool
    let headers: HeaderList
    /// Whether the transport decodes the body's codings, because the caller did not ask for them.
    let decodesContent: Bool
    /// Whether the task reads the response's body as it arrives.
    let streamsBody: Bool
    /// Whether only the connection is wanted, for another protocol.
    let connectsOnly: Bool
    /// The bytes that the response's body may have; read for each piece of it.
    let bodyLimit: Int
    let deadline: LoopClock.Nanoseconds
    /// The proxy for this hop, if any. A channel that rejects addresses uses no proxy, because a proxy would connect to them.
    let proxy: Proxy?
    // By reference: a request has some 200 bytes, and thousands may be held.
    var request: Request { attempt.request }
    var url: HTTPURL { attempt.request.url }
    // By stored properties alone: `Call.channel` would copy the channel.
    var limits: Limits { attempt.request.call.prepared.channel.limits }
    var trust: ServerTrustManager { attempt.request.call.prepared.channel.environment.serverTrustManager }

    init(
        _ attempt: Attempt, deadline: LoopClock.Nanoseconds, _ library: CurlLibrary = .linked, connectsOnly: Bool = false
    ) throws(APIClientError) {
        let lines: HeaderBlock
        do throws(RequestError) {
            try Self.check(attempt)
            lines = try HeaderBlock(attempt.request.headers, hasBody: !attempt.request.body.isNone)
            try Self.check(size: lines.list.size, attempt)
            try attempt.request.headers.checkLengths(size: lines.list.size, library)
        } catch {
            throw .request(error, APIClientError.Context(attempt.request))
        }
        if let error = Self.rejection(of: attempt) { throw .transport(error, APIClientError.Context(attempt.request)) }
        // All at once and at the end: earlier assignments would force a copy.
        self.attempt = attempt
        self.deadline = deadline
        proxy = ProxyEnvironment.current == nil ? nil : attempt.request.proxy
        decodesContent = lines.decodesContent
        streamsBody = attempt.call.streamsBody || connectsOnly
        self.connectsOnly = connectsOnly
        bodyLimit = attempt.call.prepared.channel.limits.responseBodySize
        method = attempt.request.method.rawValue
        isIdempotent = attempt.request.method.isIdempotent
        headers = lines.list
    }

    /// libcurl composes a head in a buffer of 1 MiB (`DYN_HTTP_REQUEST`), of which 4 KiB are left for its own lines: length,
    /// coding, and a proxy's credentials.
    private static let headLimit = 1_024 * 1_024 - 4_096

    /// libcurl would report "out of memory".
    private static func check(size: Int, _ attempt: Attempt) throws(RequestError) {
        // " HTTP/1.1", two line ends and the spaces; the address stands for the target and the `Host` line.
        let size = size + attempt.request.method.rawValue.utf8.count + attempt.request.url.longest + 16
        guard size <= headLimit else { throw .headTooLarge(size: size, limit: headLimit) }
    }

    /// The second line of defence. libcurl sends a CR, LF or NUL in a method or an address verbatim, together with everything
    /// that an attacker puts after it.
    private static func check(_ attempt: Attempt) throws(RequestError) {
        let method = attempt.request.method.rawValue
        guard method == "GET" || method.isToken else { throw .malformedMethod(method.escapingControls) }
        guard !attempt.request.url.hasControlOrSpace else {
            let text = attempt.request.url.string
            let reason = "\(text.firstForbiddenControl ?? "a space") is not allowed in a URL"
            throw .malformedURL(text.escapingControls, reason: reason)
        }
        // An interceptor may have changed the address since the request was built.
        guard attempt.request.url.scheme == .https || attempt.call.prepared.allowsClearText(to: attempt.request.url) else {
            throw .insecureConnection(host: attempt.request.url.host)
        }
    }

    private static func rejection(of attempt: Attempt) -> TransportError? {
        guard !attempt.call.prepared.rejectsHost(of: attempt.request.url) else {
            let reason = "the pin set names no pins for it and rejects other hosts"
            return .pinMismatch(host: attempt.request.url.host, reason: reason)
        }
        return rejectedMethod(attempt).map { .unsupported(capability: $0) }
    }

    /// Why a method is rejected: because it is no exchange of a request and a response, or for its body.
    private static func rejectedMethod(_ attempt: Attempt) -> String? {
        switch attempt.request.method {
        // Nearly every request; comparing all the others costs 200 instructions.
        case .get: nil
        // Turns the connection into a tunnel; only libcurl sends it, to a proxy (RFC 9110 §9.3.6).
        case .connect: "the method CONNECT, which opens a tunnel instead of asking for a resource"
        // Its response repeats the request, so the request must contain no secret and no content (RFC 9110 §9.3.8).
        case .trace where !attempt.request.body.isEmpty: "a body in a TRACE request"
        case .trace where attempt.request.headers.contains(where: { attempt.call.channel.redaction.hides($0.name.rawName) }):
            "credentials in a TRACE request, whose response repeats them"
        // Has no meaning (RFC 9110 §9.3.2), and libcurl would wait for the body of the response that never arrives.
        case .head where !attempt.request.body.isEmpty: "a body in a HEAD request"
        default: nil
        }
    }
}

/// A request's header lines: the caller's fields, and the lines that stop libcurl from adding its own defaults. Framing belongs
/// to the transport: a `Content-Length` or `Transfer-Encoding` that contradicts the body allows request smuggling (RFC 9112
/// §11.2).
struct HeaderBlock: Sendable {
    let list: HeaderList
    /// Whether the transport decodes the body's codings, because the caller did not ask for them.
    let decodesContent: Bool

    init(_ fields: HTTPFields, hasBody: Bool) throws(RequestError) {
        var named = TransportFields()
        var lines = HeaderListBuilder(atMost: fields.count + 5)
        for field in fields {
            try Self.check(field)
            let kind = TransportFields(field.name)
            named.formUnion(kind)
            // Cookies become one line, below.
            guard kind.isDisjoint(with: [.cookie, .framing]) else { continue }
            field.withUnsafeBytesOfValue { lines.add(field.name.rawName, $0) }
        }
        // `HTTPFields` has one line per cookie, as HTTP/2 may send them; HTTP/1 allows only one line (RFC 6265bis §5.8.3).
        if named.contains(.cookie) {
            let cookies = fields[fields: .cookie].map { $0.withUnsafeBytesOfValue { Array($0) } }
            Array(cookies.joined(separator: "; ".utf8)).withUnsafeBufferPointer { lines.add(HTTPField.Name.cookie.rawName, $0) }
        }
        decodesContent = named.isDisjoint(with: .coding)
        // As lines, and not by libcurl's options: it formats an option's text twice, 100 instructions a character.
        if decodesContent { lines.add(ContentDecoder.acceptLine) }
        if !named.contains(.userAgent) { lines.add(Self.userAgentLine) }
        // A name with nothing after its colon removes libcurl's own header.
        if !named.contains(.accept) { lines.add("Accept:") }
        if hasBody, !named.contains(.expect) { lines.add("Expect:") }
        list = lines.list(namesHost: named.contains(.host))
    }

    /// libcurl sends a CR, LF or NUL verbatim, together with everything that an attacker puts after it.
    private static func check(_ field: HTTPField) throws(RequestError) {
        let name = field.name.rawName
        guard name.isToken else {
            throw .malformedHeader(name: name.escapingControls, reason: "the name must be a token (RFC 9110 §5.1)")
        }
        let isClean = field.withUnsafeBytesOfValue { !$0.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 } }
        guard !isClean else { return }
        throw .malformedHeader(name: name, reason: "the value holds CR, LF or NUL, which would end it early (RFC 9110 §5.5)")
    }

    private static let userAgentLine = "User-Agent: \(Kit.userAgent)"

    /// The fields that concern the transport. Compared by length first: looking up each of them among all fields would double the
    /// cost of this function.
    private struct TransportFields: OptionSet {
        let rawValue: UInt8

        static let host = TransportFields(rawValue: 1)
        static let accept = TransportFields(rawValue: 2)
        static let expect = TransportFields(rawValue: 4)
        static let userAgent = TransportFields(rawValue: 8)
        static let cookie = TransportFields(rawValue: 16)
        /// Fields that ask for a coding, or for a part of coded content.
        static let coding = TransportFields(rawValue: 32)
        static let framing = TransportFields(rawValue: 64)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ name: HTTPField.Name) {
            switch name.canonicalName.utf8.count {
            case 4 where name.canonicalName == "host": self = .host
            case 5 where name == .range: self = .coding
            case 6 where name == .accept: self = .accept
            case 6 where name == .cookie: self = .cookie
            case 6 where name == .expect: self = .expect
            case 10 where name == .userAgent: self = .userAgent
            case 14 where name == .contentLength: self = .framing
            case 15 where name == .acceptEncoding: self = .coding
            case 17 where name == .transferEncoding: self = .framing
            default: self = []
            }
        }
    }
}

/// The header lines of a request as a `curl_slist`, in a single block of memory.
///
/// libcurl neither copies nor frees a list that it gets (`CURLOPT_HTTPHEADER`). So the sending task builds the list, without a
/// call to libcurl and without an allocation for each line. It must live as long as an exchange that uses it.
///
/// `@unchecked`: written by `init` only, and by the one handle that has a list of its own; libcurl reads it.
final class HeaderList: @unchecked Sendable {
    private let block: UnsafeMutableRawBufferPointer
    private let count: Int
    /// The list, or `nil` if there is no line.
    let first: UnsafeMutablePointer<curl_slist>?
    /// Whether a line is a `Host`.
    let namesHost: Bool
    /// The bytes of all lines as HTTP/1.1 sends them, with a line end of two bytes.
    let size: Int

    /// - Parameter block: a node for each line and, at the offset `text`, the lines, each ended by a NUL. The list takes
    ///   ownership.
    fileprivate init(_ block: UnsafeMutableRawBufferPointer, text: Int, size: Int, count: Int, namesHost: Bool) {
        (self.block, self.size, self.count, self.namesHost) = (block, size, count, namesHost)
        guard count > 0, let base = block.baseAddress else {
            first = nil
            return
        }
        let list = base.bindMemory(to: curl_slist.self, capacity: count)
        var line = (base + text).assumingMemoryBound(to: CChar.self)
        for index in 0..<count {
            list[index] = curl_slist(data: line, next: index + 1 < count ? list + index + 1 : nil)
            line += strlen(line) + 1
        }
        first = list
    }

    /// Appends another list after its own lines.
    func precede(_ list: HeaderList) {
        guard let first, count > 0 else { return }
        first[count - 1].next = list.first
    }

    deinit { block.deallocate() }
}

/// Header lines while they are collected, in the block that becomes a ``HeaderList``.
struct HeaderListBuilder: ~Copyable {
    private var block: UnsafeMutableRawBufferPointer
    private let text: Int
    private var end: Int
    private var count = 0

    /// - Parameter bytes: the room for the lines at first.
    init(atMost lines: Int, bytes: Int = 256) {
        text = lines * MemoryLayout<curl_slist>.stride
        end = text
        block = .allocate(byteCount: text + bytes, alignment: MemoryLayout<curl_slist>.alignment)
    }

    deinit { block.deallocate() }

    /// - Parameter line: without a NUL.
    mutating func add(_ line: String) {
        append(line)
        endLine()
    }

    mutating func add(_ name: String, _ value: UnsafeBufferPointer<UInt8>) {
        append(name)
        if value.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            append(";")  // `Name:` would take the header out, `Name;` sends it empty.
        } else {
            append(": ")
            append(UnsafeRawBufferPointer(value))
        }
        endLine()
    }

    consuming func list(namesHost: Bool = false) -> HeaderList {
        // In place of the NUL, a line's end has two bytes.
        let list = HeaderList(block, text: text, size: end - text + count, count: count, namesHost: namesHost)
        discard self
        return list
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        if end + bytes.count > block.count { grow(for: bytes.count) }
        block.baseAddress?.advanced(by: end).copyMemory(from: base, byteCount: bytes.count)
        end += bytes.count
    }

    private mutating func endLine() {
        if end == block.count { grow(for: 1) }
        block[end] = 0
        end += 1
        count += 1
    }

    private mutating func grow(for added: Int) {
        let size = max(2 * block.count, end + added)
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: MemoryLayout<curl_slist>.alignment)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<end]))
        block.deallocate()
        block = larger
    }
}

extension Request {
    /// The environment's proxy for the request. A channel that rejects addresses uses none, because a proxy would connect.
    var proxy: Proxy? {
        guard let proxies = ProxyEnvironment.current, call.prepared.channel.limits.rejectedAddresses.isEmpty else { return nil }
        return proxies.proxy(for: url)
    }

    /// The proxy that gets the request itself, with its whole address; `nil` for a tunnel or no proxy.
    package var forwardingProxy: Proxy? { url.scheme == .http ? proxy.flatMap { $0.speaksHTTP ? $0 : nil } : nil }

    /// The header fields as libcurl sends them, those of the transport included, for a tool that shows what was sent. HTTP/2 has
    /// `:authority` in place of `Host`. A proxy's credentials are hidden.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)``, as sending the request does.
    package func sentFields() throws(RequestError) -> [(name: String, value: String)] {
        let lines = try HeaderBlock(headers, hasBody: !body.isNone).list
        var fields = lines.namesHost ? [] : [(name: "Host", value: url.authority)]
        var node = lines.first
        while let line = node?.pointee {
            let text = String(cString: line.data)
            if let colon = text.firstIndex(of: ":") {
                let value = text[text.index(after: colon)...].drop { $0 == " " }
                // A name alone removes a header of libcurl's own.
                if !value.isEmpty { fields.append((String(text[..<colon]), String(value))) }
            } else if text.hasSuffix(";") {
                fields.append((String(text.dropLast()), ""))
            }
            node = line.next
        }
        withExtendedLifetime(lines) {}
        // libcurl adds no field that the request has.
        let names = Set(fields.map { $0.name.lowercased() })
        return fields + framing + forwarding.filter { !names.contains($0.name.lowercased()) }
    }

    /// The fields that libcurl adds for a proxy that forwards the request.
    private var forwarding: [(name: String, value: String)] {
        guard let proxy = forwardingProxy else { return [] }
        let credentials = proxy.hasCredentials ? [("Proxy-Authorization", "Basic \(Redaction.mask)")] : []
        return credentials + [("Proxy-Connection", "Keep-Alive")]
    }

    private var framing: [(name: String, value: String)] {
        switch body {
        case .none: [.post, .put, .patch, .query].contains(method) ? [("Content-Length", "0")] : []
        case .bytes(let data): [("Content-Length", "\(data.count)")]
        case .file(let url):
            (try? LocalFile(reading: url.path)).map { [("Content-Length", "\($0.size)")] } ?? []
        case .stream(let stream): stream.length.map { [("Content-Length", "\($0)")] } ?? [("Transfer-Encoding", "chunked")]
        }
    }
}
