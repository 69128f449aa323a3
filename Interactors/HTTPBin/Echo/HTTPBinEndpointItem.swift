public import CoreAPI
internal import Foundation

/// Requests to an httpbin; https://httpbin.org documents the answers.
public enum HTTPBinEndpointItem: Endpoint {
    case ip
    case get(Parameters)
    case post(Parameters)
    /// The page with the pizza form.
    case pizzaForm
    /// The pizza form's request. The page is at `forms/post`; its form goes to `post`.
    case orderPizza(HTTPBinPizza)
    case status(Int)
    case delay(seconds: Int)
    case headers(Headers)
    case gzip
    case stream(lines: Int)
    case basicAuth(user: String, password: String)

    public var path: String {
        switch self {
        case .ip: "ip"
        case .get: "get"
        case .post, .orderPizza: "post"
        case .pizzaForm: "forms/post"
        case .status(let code): "status/\(code)"
        case .delay(let seconds): "delay/\(seconds)"
        case .headers: "headers"
        case .gzip: "gzip"
        case .stream(let lines): "stream/\(lines)"
        case .basicAuth(let user, let password): "basic-auth/\(segment: user)/\(segment: password)"
        }
    }

    public var method: HTTPRequest.Method {
        switch self {
        case .post, .orderPizza: .post
        default: .get
        }
    }

    public var headers: Headers {
        switch self {
        case .headers(let headers): headers
        case .basicAuth(let user, let password):
            ["Authorization": "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()]  // RFC 7617 §2
        default: [:]
        }
    }

    public var params: Parameters? {
        switch self {
        case .get(let parameters), .post(let parameters): parameters
        case .orderPizza(let pizza): Parameters(pizza)
        default: nil
        }
    }

    public var encoding: InputEncoding {
        switch self {
        case .orderPizza: .form
        case .post: .json
        default: .query
        }
    }
}
