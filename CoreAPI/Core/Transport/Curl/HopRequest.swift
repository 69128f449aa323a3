internal import CCurl
internal import HTTPTypes

/// One exchange as the loop needs it: checked, and made ready by the task that sends, so that the loop's thread only hands it to
/// libcurl.
struct HopRequest: Sendable {
    let request: Request
    /// Beside the request, from which it is a copy each time.
    let url: HTTPURL
    let method: String
    let isIdempotent: Bool
    let headers: HeaderList
    /// Whether codings of the body are taken off, which the caller did not ask for.
    let decodesContent: Bool
    /// When the whole call must be over.
    let deadline: LoopClock.Nanoseconds

    var limits: Limits { request.call.channel.limits }
    var trust: ServerTrustManager { request.call.channel.environment.serverTrustManager }

    /// - Throws: ``APIClientError`` when the request must not be sent.
    init(_ request: consuming Request, deadline: LoopClock.Nanoseconds) throws(APIClientError) {
        let url = request.url
        do throws(RequestError) {
            try Self.check(request, url)
        } catch {
            throw .request(error, ErrorContext(request))
        }
        if let capability = Self.refusedMethod(request) {
            throw .transport(.unsupported(capability: capability), ErrorContext(request))
        }
        let decodesContent = !request.headers.contains(.acceptEncoding) && !request.headers.contains(.range)
        // All at once and at the end: halfway there it would have to be copied.
        self.url = url
        self.deadline = deadline
        self.decodesContent = decodesContent
        method = request.method.rawValue
        isIdempotent = request.method.isIdempotent
        headers = Self.headerList(request, acceptsCodings: decodesContent)
        self.request = request
    }

    /// The second line of defence. libcurl passes a CR, LF or NUL in a method, an address or a header on verbatim, and with it
    /// whatever an attacker put behind it.
    private static func check(_ request: Request, _ url: HTTPURL) throws(RequestError) {
        let method = request.method.rawValue
        guard method == "GET" || method.isToken else { throw .malformedMethod(method.escapingControls) }
        guard !url.hasControlOrSpace else {
            let text = url.string
            throw .malformedURL(
                text.escapingControls, reason: "\(text.firstForbiddenControl ?? "a space") may not stand in a URL")
        }
        for field in request.headers {
            let name = field.name.rawName
            guard name.isToken else {
                throw .malformedHeader(name: name.escapingControls, reason: "the name must be a token (RFC 9110 §5.1)")
            }
            let isClean = field.withUnsafeBytesOfValue { !$0.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 } }
            guard isClean else {
                throw .malformedHeader(
                    name: name, reason: "the value holds CR, LF or NUL, which would end it early (RFC 9110 §5.5)")
            }
        }
        // An interceptor may have changed the address since the request was built.
        if url.scheme == .http, !request.call.shared.allowsInsecureConnections(to: url.host) {
            throw .insecureConnection(host: url.host)
        }
    }

    /// What is no exchange of a request and a response, or must not be made one.
    private static func refusedMethod(_ request: Request) -> String? {
        switch request.method {
        // Nearly every request; to compare all the others is 200 instructions.
        case .get: nil
        // Turns the connection into a tunnel; it is libcurl's to send, to a proxy (RFC 9110 §9.3.6).
        case .connect: "the method CONNECT, which opens a tunnel instead of asking for a resource"
        // Its answer repeats the request: nothing secret and no content may be in it (RFC 9110 §9.3.8).
        case .trace where !request.body.isEmpty: "a body in a TRACE request"
        case .trace where request.headers.contains(where: { request.call.channel.redaction.hides($0.name.rawName) }):
            "credentials in a TRACE request, whose answer repeats them"
        // Has no meaning (RFC 9110 §9.3.2), and libcurl would wait for the body of the answer that never comes.
        case .head where !request.body.isEmpty: "a body in a HEAD request"
        default: nil
        }
    }

    /// The caller's fields, and the lines that stop libcurl from adding what nobody asked for. Framing belongs to the transport: a
    /// `Content-Length` or `Transfer-Encoding` that contradicts the body is how requests are smuggled (RFC 9112 §11.2).
    private static func headerList(_ request: Request, acceptsCodings: Bool) -> HeaderList {
        let fields = request.headers
        if fields.isEmpty, acceptsCodings, request.body.isNone { return bareList }
        var lines = HeaderLineText()
        for field in fields where field.name != .contentLength && field.name != .transferEncoding && field.name != .cookie {
            field.withUnsafeBytesOfValue { lines.add(field.name, $0) }
        }
        // `HTTPFields` keeps a line for each cookie, as HTTP/2 may send them; there must be no second one in HTTP/1 (RFC 6265bis §5.8.3).
        if fields.contains(.cookie) {
            let cookies = fields[fields: .cookie].map { $0.withUnsafeBytesOfValue { Array($0) } }
            lines.add(.cookie, Array(cookies.joined(separator: "; ".utf8)))
        }
        addLines(besides: fields, hasBody: !request.body.isNone, acceptsCodings: acceptsCodings, to: &lines)
        return HeaderList(lines.text, count: lines.count, namesHost: host.map(fields.contains) ?? false)
    }

    private static let host = HTTPField.Name("Host")

    /// What a request without fields and without a body sends: the same each time.
    private static let bareList: HeaderList = {
        var lines = HeaderLineText()
        addLines(besides: HTTPFields(), hasBody: false, acceptsCodings: true, to: &lines)
        return HeaderList(lines.text, count: lines.count)
    }()

    /// As lines, and not as the options that libcurl has for them: it formats an option's text twice, 100 instructions a character.
    private static func addLines(besides fields: HTTPFields, hasBody: Bool, acceptsCodings: Bool, to lines: inout HeaderLineText)
    {
        if acceptsCodings, !ContentDecoder.accepted.isEmpty { lines.add(ContentDecoder.acceptLine) }
        if !fields.contains(.userAgent) { lines.add(CurlVersion.userAgentLine) }
        // A name with nothing after its colon takes libcurl's own header out.
        if !fields.contains(.accept) { lines.add("Accept:") }
        if hasBody, !fields.contains(.expect) { lines.add("Expect:") }
    }
}

/// Header lines as they are gathered, each ended by a NUL.
private struct HeaderLineText {
    private(set) var text: [UInt8] = []
    private(set) var count = 0

    init() {
        text.reserveCapacity(256)
    }

    mutating func add(_ line: String) {
        text.append(contentsOf: line.utf8)
        text.append(0)
        count += 1
    }

    mutating func add(_ name: HTTPField.Name, _ value: some Collection<UInt8>) {
        text.append(contentsOf: name.rawName.utf8)
        if value.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            text.append(UInt8(ascii: ";"))  // `Name:` would take the header out, `Name;` sends it empty.
        } else {
            text.append(contentsOf: ": ".utf8)
            text.append(contentsOf: value)
        }
        text.append(0)
        count += 1
    }
}

extension String {
    /// RFC 9110 §5.6.2.
    fileprivate var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenOctet) }
}
