internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPITrust
internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Converts requests, heads and errors between Foundation's form and the kit's.
enum WireForm {
    /// - Throws: ``RequestError`` or ``TransportError`` for a request that must not, or cannot, be sent in this way.
    static func request(_ request: Request) throws -> URLRequest {
        let environment = request.call.channel.environment
        if request.url.scheme == .http, !environment.allowsInsecureConnections(to: request.url.host) {
            throw RequestError.insecureConnection(host: request.url.host)
        }
        if let capability = unsupported(request) { throw TransportError.unsupported(capability: capability) }
        guard let url = URL(string: request.url.string), url.absoluteString == request.url.string else {
            throw TransportError.unsupported(capability: "an address that Foundation's URL changes")
        }
        var sent = URLRequest(url: url)
        sent.httpMethod = request.method.rawValue
        sent.httpShouldHandleCookies = false
        // The kit's timeouts apply; on Linux a fraction of a second would disable this one.
        sent.timeoutInterval = TimeInterval(Duration.year.components.seconds)
        for name in Set(request.headers.map(\.name)) where name != .contentLength && name != .transferEncoding {
            let values = request.headers[fields: name]
            guard values.allSatisfy({ field in field.withUnsafeBytesOfValue { $0.elementsEqual(field.value.utf8) } }) else {
                throw TransportError.unsupported(capability: "bytes other than UTF-8 in the field '\(name.rawName)'")
            }
            sent.setValue(values.map(\.value).joined(separator: name == .cookie ? "; " : ", "), forHTTPHeaderField: name.rawName)
        }
        if request.headers[.userAgent] == nil { sent.setValue(Kit.userAgent, forHTTPHeaderField: "User-Agent") }
        if !request.body.isEmpty, request.headers[.contentType] == nil {
            // Foundation on Linux would set a form's type.
            sent.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
        return sent
    }

    /// The part of a request that `URLSession` would silently drop.
    private static func unsupported(_ request: Request) -> String? {
        switch request.method {
        case .connect, .trace: return "the method \(request.method.rawValue)"
        case .get where !request.body.isEmpty, .head where !request.body.isEmpty: return "a body of \(request.method.rawValue)"
        default: break
        }
        if !request.call.channel.limits.rejectedAddresses.isEmpty { return "rejected addresses" }
        guard request.url.scheme == .https else { return nil }
        let trust = request.call.channel.environment.serverTrustManager
        if trust.authorities != .system { return "authorities of a channel's own" }
        if trust.isPinningActive, !trust.pins.isEmpty { return "pins" }
        if trust.identity != nil { return "a client's certificate" }
        return trust.minimumTLSVersion == .tls12 ? nil : "TLS 1.3 as the minimum"
    }

    /// - Returns: the head, and whether Foundation decodes the body: it does so with the content codings that it knows.
    static func head(_ response: HTTPURLResponse, hasBody: Bool) -> (head: ResponseHead, isDecoded: Bool) {
        var fields = HTTPFields()
        for case (let name as String, let value as String) in response.allHeaderFields {
            guard let name = HTTPField.Name(name) else { continue }
            // One more than allowed is enough to reject the head.
            let room = max(0, HTTPFields.limit + 1 - fields.count)
            for value in name == .setCookie ? cookies(in: value).prefix(room) : [value].prefix(room) {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        let codings = hasBody ? fields[.contentEncoding].map(names(of:)) ?? [] : []
        let isDecoded = !codings.isEmpty && codings.allSatisfy(isKnown)
        if isDecoded {
            // These fields describe the encoded bytes, which the caller does not see.
            (fields[.contentEncoding], fields[.contentLength]) = (nil, nil)
        }
        return (ResponseHead(status: .init(code: response.statusCode), headers: fields), isDecoded)
    }

    /// `a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=2` is two cookies: a comma ends one if a name and `=` follow.
    private static func cookies(in joined: String) -> [String] {
        var cookies: [String] = []
        for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
            let beginsCookie = part.wholeMatch(of: /\s*[^\s;,="]+=.*/.dotMatchesNewlines()) != nil
            if beginsCookie || cookies.isEmpty {
                cookies.append(part.trimmingCharacters(in: .whitespaces))
            } else {
                cookies[cookies.count - 1] += "," + part
            }
        }
        return cookies
    }

    /// The content codings of a field, without those that change nothing.
    private static func names(of codings: String) -> [String] { codings.lowercased().listMembers.filter { $0 != "identity" } }

    /// Whether Foundation decodes the coding. On Linux libcurl does: it knows zstd, or fails without it.
    private static func isKnown(_ coding: String) -> Bool {
        #if canImport(FoundationNetworking)
        if coding == "zstd" { return true }
        #endif
        return ["gzip", "x-gzip", "deflate", "br"].contains(coding)
    }

    static func failure(of head: ResponseHead, to request: Request) -> TransportError? {
        let limits = request.call.channel.limits
        // Without the exact bytes of line ends and separators, which Foundation does not keep.
        let size = head.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
        if size > limits.responseHeadSize { return .headTooLarge(limit: limits.responseHeadSize) }
        if head.headers.count > limits.headLines { return .tooManyHeadLines(limit: limits.headLines) }
        return head.partError(to: request)
    }

    static func error(_ error: any Error, head: ResponseHead?, received: Int64, to request: Request) -> any Error {
        let (code, reason) = ((error as? URLError)?.code ?? .unknown, error.localizedDescription)
        let host = request.url.host
        // On Linux no code distinguishes this failure; with a newer libcurl it is the code of an unreachable host.
        if head == nil, reason.contains("SSL") || reason.contains("certificate") {
            return TransportError.tls(host: host, reason: reason)
        }
        switch code {
        case .cancelled: return CancellationError()
        case .cannotFindHost, .dnsLookupFailed: return TransportError.cannotResolveHost(host)
        case .cannotConnectToHost, .timedOut: return TransportError.cannotConnect(host: host, reason: reason)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot, .clientCertificateRequired, .clientCertificateRejected:
            return TransportError.tls(host: host, reason: reason)
        // On Linux the code for a response that is not HTTP.
        case .unsupportedURL, .cannotParseResponse: return TransportError.malformedResponse(reason: reason)
        default: break
        }
        // libcurl's texts for a line beyond its own buffer, and for a head beyond 300 KiB.
        if head == nil, reason.contains("Out of memory") || reason.contains("Too large response headers") {
            return TransportError.headTooLarge(limit: request.call.channel.limits.responseHeadSize)
        }
        guard let head else {
            return TransportError.connectionLost(reason: reason, mayHaveBeenProcessed: !request.method.isIdempotent)
        }
        if let coding = head.headers[.contentEncoding].map(names(of:))?.first(where: { !isKnown($0) }) {
            return TransportError.unsupported(capability: "the content coding '\(coding)'")
        }
        return TransportError.truncated(received: received, expected: head.length)
    }
}
