public import Foundation

/// One request with everything it needs: an endpoint, an environment, and the type of its response.
///
/// ```swift
/// let request = APIRequest(OrderEndpoint.list(page: 1), environment: APIEnvironment(ShopHost.staging), as: [Order].self)
/// let orders = try await APIClient().perform(request)
/// ```
///
/// Use it without a channel, in a script or a tool. Features of a channel use its ``NetworkManager``.
public struct APIRequest<Value: Sendable>: Sendable {
    /// The request.
    public var endpoint: any Endpoint
    /// The server, and the terms.
    public var environment: APIEnvironment
    /// How the response becomes the value.
    public var decoding: ResponseDecoding<Value>

    /// Makes a request whose response is decoded in the given way.
    public init(_ endpoint: some Endpoint, environment: APIEnvironment, decoding: ResponseDecoding<Value>) {
        (self.endpoint, self.environment, self.decoding) = (endpoint, environment, decoding)
    }

    /// Makes a request whose response is decoded by the client's coder, into a type that may be inferred.
    public init(_ endpoint: some Endpoint, environment: APIEnvironment, as type: Value.Type = Value.self) where Value: Decodable {
        self.init(endpoint, environment: environment, decoding: .decodable(type))
    }

    /// Makes a request whose response becomes the endpoint's own output.
    public init<Item: Endpoint>(_ endpoint: Item, environment: APIEnvironment) where Item.Output == Value {
        self.init(endpoint, environment: environment, decoding: endpoint.decoding)
    }
}

/// Performs requests that bring their own environment, all over one transport.
///
/// A malformed URL is `.request(.malformedURL)`, malformed parameters are `.request(.encodingFailed)`, a malformed response is
/// `.transport(.malformedResponse)`, malformed JSON `.decoding` with ``DecodingFailure/isMalformed``.
public struct APIClient: Sendable {
    private let transport: any Transport
    private let dispatcher: @Sendable (APIEnvironment) -> CommonDispatcher

    /// A transport that the caller gave stays inside `withChannel`. `configure` is called per request, on the caller's thread.
    package init(transport: any Transport, isTransportGiven: Bool, configure: @escaping @Sendable (inout Channel) -> Void) {
        self.transport = transport
        dispatcher = { environment in
            var channel = Channel(name: environment.name, environment: environment, transport: transport)
            channel.isForOneCall = true
            configure(&channel)
            return CommonDispatcher(onTheSpot: channel, isTransportGiven: isTransportGiven)
        }
    }

    /// Sends a request and parses its response. Throws ``APIClientError``, by the stage that failed.
    public func perform<Value>(_ request: APIRequest<Value>) async throws(APIClientError) -> Value {
        try await response(to: request).value
    }

    /// Sends a request and calls back exactly once, after a cancellation too; see
    /// ``NetworkManager/request(endpoint:type:completion:)`` for where the completion runs.
    @discardableResult
    public func perform<Value>(
        _ request: APIRequest<Value>,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Value, APIClientError>) -> Void
    ) -> Cancellable { dispatcher(request.environment).start(request.endpoint, request.decoding) { await completion($0.result) } }

    /// Sends a request and returns the whole response. Does not throw, so that a failure keeps everything.
    public func response<Value>(to request: APIRequest<Value>) async -> Response<Value> {
        await dispatcher(request.environment).response(for: request.endpoint, as: request.decoding)
    }

    /// Decodes bytes as the response to a request, without sending it: as ``perform(_:)`` does, at the endpoint's key path.
    /// Enhancers, verifiers and filters do not see them. Throws ``APIClientError/decoding(_:_:)``, or
    /// ``APIClientError/verification(_:_:)`` for an empty body if a value is needed.
    public func parse<Value>(_ data: Data, as request: APIRequest<Value>) throws(APIClientError) -> Value {
        let call = Call(dispatcher(request.environment).prepared, request.endpoint, request.decoding)
        return try request.decoding.value(of: Response(RawResponse(call, parsing: data), .success(data)))
    }

    /// Ends the client's connections; see ``Transport/close()``.
    public func close() async { await transport.close() }
}
