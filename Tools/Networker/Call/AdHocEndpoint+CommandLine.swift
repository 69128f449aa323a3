import CoreAPI
import HTTPTypes

extension AdHocEndpoint {
    /// An endpoint made of a command line.
    ///
    /// - Parameters:
    ///   - method: any.
    ///   - path: below the base URL; may bring a query.
    ///   - headers: they win over the channel's.
    ///   - values: into the query or the body, as the method wants it; into the query when there is a body already.
    ///   - body: sent as it is.
    ///   - timeout: for the whole call; `nil` for the channel's.
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
