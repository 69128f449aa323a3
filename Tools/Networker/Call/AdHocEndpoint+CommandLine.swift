import CoreAPI
import HTTPTypes

extension AdHocEndpoint {
    /// An endpoint built from a command line.
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - path: the path below the base URL; it may contain a query.
    ///   - headers: the request's own headers; they override the channel's.
    ///   - values: parameters. The method decides whether they go into the query or the body. With a body they go into the
    ///     query.
    ///   - body: the bytes of the body, sent unchanged.
    ///   - timeout: the limit of the whole call; `nil` for the channel's.
    init(
        method: HTTPRequest.Method, path: String, headers: Headers = [:], values: [NamedValue] = [], body: CallBody? = nil,
        timeout: Duration? = nil
    ) {
        let encoding: InputEncoding
        if let body {
            encoding = InputEncoding("the given data") { _, request in
                for item in values { request.url.appendQuery(item.name, item.value) }
                request.body = .bytes(body.bytes)
                try request.setHeader("Content-Type", body.contentType)
            }
        } else {
            encoding = method.takesValuesInBody ? .body : .query
        }
        self.init(
            method, path, params: values.isEmpty ? nil : Parameters(NamedValues(values)), encoding: encoding, headers: headers,
            modifiers: timeout.map { [Timeout($0)] } ?? [], name: "\(method.rawValue) \(path.prefix { $0 != "?" })")
    }
}
