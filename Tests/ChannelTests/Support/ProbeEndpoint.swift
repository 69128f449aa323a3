import CoreAPI
import HTTPTypes

/// An endpoint that no feature has, for what a channel does to every request.
struct ProbeEndpoint: Endpoint {
    var path: String
    var method: HTTPRequest.Method = .get
    var headers: Headers = [:]
    var params: Parameters?

    init(
        _ path: String, method: HTTPRequest.Method = .get, headers: Headers = [:], params: Parameters? = nil
    ) {
        self.path = path
        self.method = method
        self.headers = headers
        self.params = params
    }
}
