public import HTTPTypes

/// A request method as a type, so that the compiler checks an endpoint's method.
public protocol EndpointMethod: Sendable {
    /// The method on the wire.
    static var method: HTTPRequest.Method { get }
}

/// The methods of RFC 9110 §9, PATCH of RFC 5789, and QUERY (draft-ietf-httpbis-safe-method-w-body).
public enum Methods {
    public enum CONNECT: EndpointMethod { public static var method: HTTPRequest.Method { .connect } }
    public enum DELETE: EndpointMethod { public static var method: HTTPRequest.Method { .delete } }
    public enum GET: EndpointMethod { public static var method: HTTPRequest.Method { .get } }
    public enum HEAD: EndpointMethod { public static var method: HTTPRequest.Method { .head } }
    public enum OPTIONS: EndpointMethod { public static var method: HTTPRequest.Method { .options } }
    public enum PATCH: EndpointMethod { public static var method: HTTPRequest.Method { .patch } }
    public enum POST: EndpointMethod { public static var method: HTTPRequest.Method { .post } }
    public enum PUT: EndpointMethod { public static var method: HTTPRequest.Method { .put } }
    public enum QUERY: EndpointMethod { public static var method: HTTPRequest.Method { .query } }
    public enum TRACE: EndpointMethod { public static var method: HTTPRequest.Method { .trace } }
}

// `GET<Void, [Order]>` for `TypedEndpoint<Methods.GET, Void, [Order]>`. The curl transport refuses CONNECT, whose answer is a
// tunnel, and a TRACE with credentials or content. A custom transport may send them.

public typealias CONNECT<Input, Output: Sendable> = TypedEndpoint<Methods.CONNECT, Input, Output>
public typealias DELETE<Input, Output: Sendable> = TypedEndpoint<Methods.DELETE, Input, Output>
public typealias GET<Input, Output: Sendable> = TypedEndpoint<Methods.GET, Input, Output>
public typealias HEAD<Input, Output: Sendable> = TypedEndpoint<Methods.HEAD, Input, Output>
public typealias OPTIONS<Input, Output: Sendable> = TypedEndpoint<Methods.OPTIONS, Input, Output>
public typealias PATCH<Input, Output: Sendable> = TypedEndpoint<Methods.PATCH, Input, Output>
public typealias POST<Input, Output: Sendable> = TypedEndpoint<Methods.POST, Input, Output>
public typealias PUT<Input, Output: Sendable> = TypedEndpoint<Methods.PUT, Input, Output>
public typealias QUERY<Input, Output: Sendable> = TypedEndpoint<Methods.QUERY, Input, Output>
public typealias TRACE<Input, Output: Sendable> = TypedEndpoint<Methods.TRACE, Input, Output>
