public import HTTPTypes

/// A request method, by the name in other libraries.
public typealias HTTPMethod = HTTPRequest.Method

/// A request method as a type, so that the compiler checks an endpoint's method.
public protocol EndpointMethod: Sendable {
    /// The method on the wire.
    static var method: HTTPRequest.Method { get }
}

/// The methods of RFC 9110 §9, PATCH of RFC 5789, and QUERY (draft-ietf-httpbis-safe-method-w-body).
public enum Methods {
    /// Opens a tunnel. The curl transport rejects it, because the response is a tunnel and no message.
    public enum CONNECT: EndpointMethod { public static var method: HTTPRequest.Method { .connect } }
    /// Removes a resource.
    public enum DELETE: EndpointMethod { public static var method: HTTPRequest.Method { .delete } }
    /// Reads a resource.
    public enum GET: EndpointMethod { public static var method: HTTPRequest.Method { .get } }
    /// Reads the head of the response to GET.
    public enum HEAD: EndpointMethod { public static var method: HTTPRequest.Method { .head } }
    /// Asks for the communication options of a resource.
    public enum OPTIONS: EndpointMethod { public static var method: HTTPRequest.Method { .options } }
    /// Changes a part of a resource.
    public enum PATCH: EndpointMethod { public static var method: HTTPRequest.Method { .patch } }
    /// Processes the body as the resource defines.
    public enum POST: EndpointMethod { public static var method: HTTPRequest.Method { .post } }
    /// Replaces a resource by the body.
    public enum PUT: EndpointMethod { public static var method: HTTPRequest.Method { .put } }
    /// Reads by a query in the body.
    public enum QUERY: EndpointMethod { public static var method: HTTPRequest.Method { .query } }
    /// Asks the server to send the request back. The curl transport rejects it with credentials or content.
    public enum TRACE: EndpointMethod { public static var method: HTTPRequest.Method { .trace } }
}

// `GET<Void, [Order]>` for `TypedEndpoint<Methods.GET, Void, [Order]>`. Only the curl transport rejects some of them.

/// An endpoint with the method CONNECT.
public typealias CONNECT<Input, Output: Sendable> = TypedEndpoint<Methods.CONNECT, Input, Output>
/// An endpoint with the method DELETE.
public typealias DELETE<Input, Output: Sendable> = TypedEndpoint<Methods.DELETE, Input, Output>
/// An endpoint with the method GET.
public typealias GET<Input, Output: Sendable> = TypedEndpoint<Methods.GET, Input, Output>
/// An endpoint with the method HEAD.
public typealias HEAD<Input, Output: Sendable> = TypedEndpoint<Methods.HEAD, Input, Output>
/// An endpoint with the method OPTIONS.
public typealias OPTIONS<Input, Output: Sendable> = TypedEndpoint<Methods.OPTIONS, Input, Output>
/// An endpoint with the method PATCH.
public typealias PATCH<Input, Output: Sendable> = TypedEndpoint<Methods.PATCH, Input, Output>
/// An endpoint with the method POST.
public typealias POST<Input, Output: Sendable> = TypedEndpoint<Methods.POST, Input, Output>
/// An endpoint with the method PUT.
public typealias PUT<Input, Output: Sendable> = TypedEndpoint<Methods.PUT, Input, Output>
/// An endpoint with the method QUERY.
public typealias QUERY<Input, Output: Sendable> = TypedEndpoint<Methods.QUERY, Input, Output>
/// An endpoint with the method TRACE.
public typealias TRACE<Input, Output: Sendable> = TypedEndpoint<Methods.TRACE, Input, Output>
