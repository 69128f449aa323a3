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
    /// Bytes that the answer's body may have: read for each piece of it.
    let bodyLimit: Int
    /// When the whole call must be over.
    let deadline: LoopClock.Nanoseconds

    var limits: Limits { request.call.channel.limits }
    var trust: ServerTrustManager { request.call.channel.environment.serverTrustManager }

    /// - Throws: ``APIClientError`` when the request must not be sent.
    init(_ request: consuming Request, deadline: LoopClock.Nanoseconds) throws(APIClientError) {
        let url = request.url
        let (list, decodesContent): (HeaderList, Bool)
        do throws(RequestError) {
            try Self.check(request, url)
            (list, decodesContent) = try Self.headerList(request)
        } catch {
            throw .request(error, ErrorContext(request))
        }
        if let capability = Self.refusedMethod(request) {
            throw .transport(.unsupported(capability: capability), ErrorContext(request))
        }
        // All at once and at the end: halfway there it would have to be copied.
        self.url = url
        self.deadline = deadline
        self.decodesContent = decodesContent
        bodyLimit = request.call.channel.limits.responseBodySize
        method = request.method.rawValue
        isIdempotent = request.method.isIdempotent
        headers = list
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
    ///
    /// - Returns: the lines, and whether codings of the body are taken off, which the caller did not ask for.
    private static func headerList(_ request: Request) throws(RequestError) -> (HeaderList, decodesContent: Bool) {
        let fields = request.headers
        if fields.isEmpty, request.body.isNone { return (bareList, true) }
        var named = TransportFields()
        var lines = HeaderListBuilder(atMost: fields.count + 5)
        for field in fields {
            try check(field)
            let kind = TransportFields(field.name)
            named.formUnion(kind)
            guard kind.isDisjoint(with: .notSent) else { continue }
            field.withUnsafeBytesOfValue { lines.add(field.name.rawName, $0) }
        }
        // `HTTPFields` keeps a line for each cookie, as HTTP/2 may send them; there must be no second one in HTTP/1 (RFC 6265bis §5.8.3).
        if named.contains(.cookie) {
            let cookies = fields[fields: .cookie].map { $0.withUnsafeBytesOfValue { Array($0) } }
            Array(cookies.joined(separator: "; ".utf8)).withUnsafeBufferPointer {
                lines.add(HTTPField.Name.cookie.rawName, $0)
            }
        }
        addLines(besides: named, hasBody: !request.body.isNone, to: &lines)
        return (lines.list(namesHost: named.contains(.host)), named.isDisjoint(with: .coding))
    }

    private static func check(_ field: HTTPField) throws(RequestError) {
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

    /// What a request without fields and without a body sends: the same each time.
    private static let bareList: HeaderList = {
        var lines = HeaderListBuilder(atMost: 5)
        addLines(besides: [], hasBody: false, to: &lines)
        return lines.list()
    }()

    /// As lines, and not as the options that libcurl has for them: it formats an option's text twice, 100 instructions a character.
    private static func addLines(besides named: TransportFields, hasBody: Bool, to lines: inout HeaderListBuilder) {
        if named.isDisjoint(with: .coding), !ContentDecoder.accepted.isEmpty { lines.add(ContentDecoder.acceptLine) }
        if !named.contains(.userAgent) { lines.add(CurlVersion.userAgentLine) }
        // A name with nothing after its colon takes libcurl's own header out.
        if !named.contains(.accept) { lines.add("Accept:") }
        if hasBody, !named.contains(.expect) { lines.add("Expect:") }
    }

    /// The fields that mean something to the transport. Told apart by length first: to look for each of them among all fields costs as much
    /// as all the rest.
    private struct TransportFields: OptionSet {
        let rawValue: UInt8

        static let host = TransportFields(rawValue: 1)
        static let accept = TransportFields(rawValue: 2)
        static let expect = TransportFields(rawValue: 4)
        static let userAgent = TransportFields(rawValue: 8)
        static let cookie = TransportFields(rawValue: 16)
        /// What asks for a coding, or for a part of what is coded.
        static let coding = TransportFields(rawValue: 32)
        static let framing = TransportFields(rawValue: 64)
        static let notSent: TransportFields = [.cookie, .framing]

        init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

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

extension String {
    /// RFC 9110 §5.6.2.
    fileprivate var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenOctet) }
}
