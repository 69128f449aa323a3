import CoreAPI
import HTTPTypes

/// An endpoint made of what stood on the command line.
struct AdHocEndpoint: Endpoint {
    let method: HTTPRequest.Method
    let path: String
    var headers: Headers = [:]
    /// Into the query or the body by the method, as any endpoint's; into the query when there is a body already.
    var values: [NamedValue] = []
    var body: CallBody?
    var timeout: Duration?

    var modifiers: [any RequestModifier] { timeout.map { [Timeout($0)] } ?? [] }

    // Not nil when there is only a body, because without parameters no encoding is asked.
    var params: Parameters? { values.isEmpty && body == nil ? nil : Parameters(NamedValues(values)) }

    var encoding: InputEncoding {
        guard let body else { return method.takesValuesInBody ? .body : .query }
        return InputEncoding("the given data") { _, request in
            for item in values { request.url.appendQuery(item.name, item.value) }
            request.body = .bytes(body.bytes)
            try request.setHeader("Content-Type", body.contentType)
        }
    }

    var description: String { "\(method.rawValue) \(path.prefix { $0 != "?" })" }
}
