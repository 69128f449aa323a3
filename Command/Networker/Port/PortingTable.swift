/// What other clients have, and what takes its place here: for `networker port`, and for the pages "Coming from …".
enum PortingTable {
    private typealias Row = PortingRow

    static let rows: [PortingRow] = alamofire + moya + fetcher + handWritten + members

    // MARK: - Names, labels and calls

    private static let alamofire: [Row] = [
        Row([.alamofire], "`Session`, `AF`", "``Channel`` with a ``NetworkManager``", "Session(", "AF.", "import Alamofire"),
        Row([.alamofire], "`URLRequestConvertible`, a router enum", "``Endpoint``", "URLRequestConvertible", "asURLRequest"),
        Row(
            [.alamofire], "`[String: Any]`, `Parameters`, `ParameterEncoder`, `URLEncoding`, `JSONEncoding`",
            "``Parameters``, ``InputEncoding``, ``Parameters/QueryStyle``", "ParameterEncoding", "ParameterEncoder",
            "URLEncoding",
            "JSONEncoding", otherwise: "The parameters of a POST are a JSON body.",
            "Arrays and booleans are written in OpenAPI's way.", "A nested dictionary of several types is Parameters."),
        Row(
            [.alamofire], "`HTTPHeaders`, `HTTPHeader.authorization(bearerToken:)`", "``Headers``, ``Header``, ``Authorization``",
            "HTTPHeaders", "HTTPHeader"),
        Row(
            [.alamofire], "`RequestAdapter`, `RequestRetrier`, `RequestInterceptor`", "``RequestInterceptor``", "RequestAdapter",
            "RequestRetrier"),
        Row(
            [.alamofire], "`RetryPolicy(retryLimit:)`", "``RetryPolicy``, with `Retry-After` and one deadline for the whole call",
            "retryLimit:"),
        Row(
            [.alamofire], "`AuthenticationInterceptor`, `Authenticator`",
            "``BearerAuthentication``: one refresh for all waiting calls", "AuthenticationInterceptor", "Authenticator"),
        Row(
            [.alamofire], "`validate(statusCode:)`, `validate(contentType:)`",
            "``StatusCodeResponseVerifier``, ``ContentTypeResponseVerifier``", ".validate("),
        Row(
            [.alamofire], "`responseDecodable(of:)`, `serializingDecodable`",
            "``NetworkManager/request(endpoint:type:completion:)``, ``NetworkManager/request(endpoint:type:)``",
            ".responseDecodable(", ".serializingDecodable("),
        Row(
            [.alamofire], "`responseData`, `responseString`, `responseJSON`",
            "``ResponseDecoding/data``, ``ResponseDecoding/text``, ``ResponseDecoding/json``", ".responseData", ".responseString",
            ".responseJSON", ".serializingData", ".serializingString"),
        Row(
            [.alamofire], "`DataResponse`, `DataResponse.metrics`", "``Response``, ``ExchangeMetrics``, on Linux as well",
            "DataResponse",
            "AFDataResponse"),
        Row([.alamofire], "`AFError`", "``APIClientError``", "AFError"),
        Row(
            [.alamofire], "`EventMonitor`, `NetworkLoggerInterface`", "``NetworkLogger``, ``Listener``", "EventMonitor",
            "NetworkLoggerInterface"),
        Row(
            [.alamofire], "`ServerTrustManager(evaluators:)`, `PublicKeysTrustEvaluator`, `PinnedCertificatesTrustEvaluator`",
            "``ServerTrustManager`` and ``PinSet`` in the ``APIEnvironment``", "ServerTrustManager(evaluators:",
            "ServerTrustEvaluating",
            "PublicKeysTrustEvaluator", "PinnedCertificatesTrustEvaluator", otherwise: "Pinning without pins is a warning."),
        Row([.alamofire], "`cURLDescription()` of a `DataRequest`", "``Request/cURLDescription(revealingSecrets:)``"),
        Row([.alamofire], "`DataRequest.cancel()`", "``Cancellable``, or cancelling the task", "DataRequest"),
        Row(
            [.alamofire], "`NetworkManager(sessionManager:)`",
            "`NetworkManager(transport:host:networkLogger:)`; a ``Transport`` owns the connections",
            "sessionManager:"),
        Row([.alamofire], "`MultipartFormData`", "``InputEncoding/multipart(_:)`` with a ``MultipartForm``", "MultipartFormData"),
        Row(
            [.alamofire], "`NetworkReachabilityManager`",
            "nothing: a call without a network fails at once with `transport.cannotResolveHost` or `cannotConnect`",
            "NetworkReachabilityManager"),
    ]

    private static let moya: [Row] = [
        Row(
            [.moya], "`TargetType`", "``Endpoint``", "TargetType", "MultiTarget",
            otherwise: "An endpoint's base URL wins over the environment's."),
        Row([.moya], "`baseURL` of the target", "``APIEnvironment/baseURL``, or ``Endpoint/baseURL`` where one endpoint differs"),
        Row(
            [.moya], "`Task.requestParameters`, `Task.requestJSONEncodable`", "``Endpoint/params`` with an ``InputEncoding``",
            ".requestPlain", ".requestParameters(", ".requestJSONEncodable(", ".requestData(", ".requestCompositeParameters(",
            ".uploadMultipart("),
        Row([.moya], "`MoyaProvider`", "``CommonDispatcher``", "MoyaProvider", "import Moya"),
        Row(
            [.moya], "`sampleData`, `stubClosure`", "``Fixture``, ``FixturesType``, ``Fixture/Scenario``; never part of the app",
            "stubClosure", "stubbingProvider", otherwise: "Sample data is no part of a production app."),
        Row(
            [.moya], "`endpointClosure`, `requestClosure`", "``RequestEnhancer``, ``RequestInterceptor``", "endpointClosure",
            "requestClosure"),
        Row([.moya], "`PluginType.prepare`", "``RequestInterceptor``", "PluginType"),
        Row(
            [.moya], "`PluginType.willSend`, `didReceive`, `NetworkLoggerPlugin`", "``NetworkLogger``, ``CoreNetworkLogger``",
            "NetworkLoggerPlugin", "NetworkActivityPlugin"),
        Row(
            [.moya], "`PluginType.process`, an error filter", "``ErrorFilter``, ``ErrorFiltering`` for a type of your own",
            ": ErrorFilter {",
            "filterForErrors", otherwise: "A filter or handler of your own type is wrapped."),
        Row(
            [.moya], "`filter(error:)` of an error filter", "``ErrorFiltering/translate(_:)``", "func filter(error",
            "getDefaultError", otherwise: "A filter's default error is a function."),
        Row(
            [.moya], "a result handler of the dispatcher", "``ResultHandler``, ``ResultHandling`` for a type of your own",
            ": ResultHandler {"),
        Row(
            [.moya], "`Certificate` as a protocol of an enum", "``PinnedCertificate``", ": Certificate {", ": Certificate,",
            ", Certificate {",
            otherwise: "A certificate's public key is pinned."),
        Row([.moya], "`AccessTokenPlugin`", "``BearerAuthentication``", "AccessTokenPlugin", "AccessTokenAuthorizable"),
        Row([.moya], "`validationType`", "``StatusCodeResponseVerifier``", otherwise: "A status outside 2xx is a failure."),
        Row([.moya], "`Response.map(_:atKeyPath:)`", "``ResponseDecoding/decodable(_:at:)``", "atKeyPath:"),
        Row([.moya], "`MoyaError`", "``APIClientError``", "MoyaError"),
        Row([.moya], "`provider.requestPublisher`", "`publisher(for:as:)` of `CoreAPIReactive`", ".requestPublisher("),
        Row(
            [.moya], "`parseResponse`, `getDecodable`, `performRequest` of a dispatcher",
            "``Dispatcher/response(for:as:)``, ``ResponseDecoding/decodable(_:at:)``", "parseResponse", "getDecodable",
            "performRequest"),
    ]

    private static let fetcher: [Row] = [
        Row([.fetcher], "`Fetcher`", "``CommonDispatcher`` over a ``Channel``", "Fetcher(", ": Fetcher", "import Fetcher"),
        Row(
            [.fetcher], "`register(requestEnhancers:)`, `register(requestModifiers:)`",
            "``Channel/enhancers``, ``Channel/modifiers``",
            "register(requestEnhancers", "register(requestModifiers", "register(errorHandler"),
        Row(
            [.fetcher], "`init(copy:)`", "``CommonDispatcher/isolatedCopy(transport:)``, or a changed copy of the channel",
            "(copy:"),
        Row([.fetcher], "`EndpointProvider`, `create`, `implicitModifiers`", "``EndpointProvider``"),
        Row(
            [.fetcher], "`GET<Void, T>` … `TRACE`", "the same, and `QUERY`",
            otherwise: "A static let has its method and path for a name."),
        Row(
            [.fetcher], "`fetcher.request(endpoint, input: x)`, `endpoint(input)`",
            "`manager.request(endpoint(x))`; ``Dispatcher/response(for:as:queue:completion:)`` for the whole response",
            ", input:"),
        Row([.fetcher], "`SupportedType`", "``JSONValue``", "SupportedType"),
        Row([.fetcher], "`Mappable`, `Map`", "`Codable`", "Mappable", "func mapping(map"),
        Row(
            [.fetcher], "`RequestEnhancer`, `RequestEnhancerPriority.fetcher`", "``RequestEnhancer``, ``Priority/core``",
            "RequestEnhancerPriority", otherwise: "An enhancer sees the body's bytes.",
            "The kit's own enhancers have the priority 1,000."),
        Row(
            [.fetcher], "`BaseUrl`, `BaseUrl.Ignore`", "``BaseURL``, ``BaseURL/ignore``", "BaseUrl",
            otherwise: "Two base URLs of one priority are an error."),
        Row(
            [.fetcher], "`Header`, `Headers.Accept.applicationJson`", "``Header``, ``Header/accept(_:)``", "Headers.Accept",
            "Headers.ContentType", "Headers.Authorization", "Headers.Custom", ": Header {",
            otherwise: "A header of your own type is a HeaderModifier."),
        Row(
            [.fetcher], "`RequestLogger`", "``CoreNetworkLogger`` or ``FunctionLogger``", "RequestLogger",
            otherwise: "A call has two log lines."),
        Row(
            [.fetcher], "`RequestLogging.requestUrl`, `.responseCode`, `.disabled`",
            "``RequestLogging/url``, ``RequestLogging/status``, `[]`", "RequestLogging.requestUrl", "RequestLogging.responseCode",
            "RequestLogging.disabled"),
        Row(
            [.fetcher], "`ResponseVerifier`, `StatusCodeResponseVerifier`", "the same",
            otherwise: "Of several status verifiers the nearest counts."),
        Row(
            [.fetcher], "`InputEncoding`, `StandardInputEncoding`, `FormInputEncoding`, `inputEncoding:`",
            "``InputEncoding``, `encoding:`",
            "StandardInputEncoding", "FormInputEncoding", "InputEncodingWithEncoder", "inputEncoding:"),
        Row([.fetcher], "`RequestPerformer`, `DataEncoder`", "``Transport``, ``BodyCoder``", "RequestPerformer", "DataEncoder"),
        Row(
            [.fetcher], "`FetcherError.requestError`, `.invalidStatusCode`, `.nilValue`, `.custom`, `.unknown`",
            "``APIClientError``: `.request` or `.transport`, `.verification(.unacceptableStatus)`, `.verification(.emptyBody)`, `.app`, `.unknown`",
            "FetcherError"),
        Row(
            [.fetcher],
            "`ErrorHandler`, `CompositeErrorHandler`, `NoInternetErrorHandler`, `RequestTimeOutErrorHandler`, `BaseStatusCodeErrorHandler`",
            "``ErrorHandler``, ``CompositeErrorHandler``, ``NoInternetErrorHandler``, ``RequestTimeoutErrorHandler``, ``StatusCodeErrorHandler``",
            "RequestTimeOutErrorHandler", "BaseStatusCodeErrorHandler", "maxRepetitions:", "canResolveError",
            otherwise: "RequestTimeoutErrorHandler repeats only what may be repeated.",
            "NoInternetErrorHandler looks at the connection and not at a status of 599."),
        Row(
            [.fetcher], "`response.request.retry(max:delay:failCallback:)`",
            "``Response/retry(max:delay:)``, in a completion inside a `Task`. It makes one attempt and returns it. Where Fetcher calls `failCallback`, it throws a ``Call/RetryRejection``",
            ".request.retry(", "failCallback:", otherwise: "cancel() does not stop a manual retry."),
        Row(
            [.fetcher], "`rawString`, `rawData`, `rawResponse` of a response",
            "``Response/rawString``, ``Response/data``, ``Response/head``", ".rawData", ".rawResponse",
            otherwise: "rawString is never nil."),
        Row([.fetcher], "`callQueue`, `callbackQueue`", "``Channel/callbackQueue``; a call needs no queue", "callQueue"),
        Row(
            [.fetcher], "`rx.request`, `retryRequest`, `asResult`",
            "`publisher(for:as:)`, `retryRequest`, `asResult` of `CoreAPIReactive`", ".rx.", "import RxSwift"),
    ]

    private static let handWritten: [Row] = [
        Row([.handWritten], "`protocol APIRequest { associatedtype Response }`", "``APIRequest``"),
        Row(
            [.handWritten], "`APIClient.perform(_:)`", "``APIClient/perform(_:)``",
            otherwise: "A client is held and not subclassed."),
        Row([.handWritten], "an `Environment` enum", "``EnvironmentType`` and ``APIEnvironment``"),
        Row(
            [.handWritten], "`URLComponents` by hand", "``Endpoint/path``, ``Parameters``, a path segment as `\\(segment: id)`",
            "URLComponents(", otherwise: "A base URL keeps its path."),
        Row(
            [.handWritten], "`URLRequest`, `URLSession.data(for:)`",
            "``Transport``, ``CurlTransport``; a call builds its request", "URLSession.shared", ".dataTask(with", "URLRequest("),
        Row(
            [.handWritten], "`guard (200..<300).contains(status)`",
            "the default; ``StatusCodeResponseVerifier`` for other statuses",
            otherwise: "A status outside 2xx is a failure."),
        Row([.handWritten], "`JSONDecoder().decode`", "``BodyCoder``, ``ResponseDecoding/decodable(_:at:)``"),
        Row(
            [.handWritten], "`enum APIError { case malformedURL, malformedParameters, malformedResponse, malformedJSON }`",
            "``APIClientError``: `.request(.malformedURL)`, `.request(.encodingFailed)`, `.transport(.malformedResponse)`, `.decoding` with ``DecodingFailure/isMalformed``",
            ".malformedJSON", ".malformedParameters"),
        Row([.handWritten], "a `URLProtocol` stub", "``FixtureTransport``, ``FixturesType``", ": URLProtocol {"),
        Row(
            [.handWritten], "`.GET`, `.POST` as methods", "`.get`, `.post`", "HTTPMethod.GET", "HTTPMethod.POST",
            otherwise: "A method is written in lower case."),
    ]

    // MARK: - Members that the kit would not read

    private static let all = PortingRow.Client.allCases

    private static let members: [Row] = [
        Row(
            all, of: .endpoint, ["baseUrl", "baseURLString", "baseAddress", "scheme", "host"],
            "``Endpoint/baseURL``, a text with scheme and host"),
        Row(all, of: .endpoint, ["httpMethod", "HTTPMethod", "requestMethod", "methodType"], "``Endpoint/method``"),
        Row(
            all, of: .endpoint,
            [
                "header", "httpHeaderFields", "allHTTPHeaderFields", "httpHeaders", "headerFields", "headerParameters",
                "additionalHeaders", "customHeaders", "extraHeaders", "requestHeaders", "specificHeaderTypes", "sampleHeaders",
            ], "``Endpoint/headers``"),
        Row(
            all, of: .endpoint,
            [
                "parameters", "task", "httpBody", "body", "bodyData", "bodyParameters", "bodyParams", "query", "queryParameters",
                "queryParams", "queryItems", "urlParameters", "urlParams", "urlQueryItems", "requestBody", "encodableParameters",
            ], "``Endpoint/params``, which ``Endpoint/encoding`` puts into query or body"),
        Row(
            all, of: .endpoint,
            ["parameterEncoding", "parametersEncoding", "paramsEncoding", "bodyEncoding", "requestEncoding", "inputEncoding"],
            "``Endpoint/encoding``"),
        Row(
            all, of: .endpoint, ["timeout", "timeoutInterval", "requestTimeout"], "a ``Timeout`` in ``Endpoint/modifiers``",
            otherwise: "The kit gives up on a silent server after 30 s."),
        Row(all, of: .endpoint, ["cachePolicy"], "a ``CachePolicy`` in ``Endpoint/modifiers``"),
        Row(
            all, of: .endpoint, ["validationType", "validStatusCodes", "acceptableStatusCodes"],
            "a ``StatusCodeResponseVerifier`` in ``Endpoint/modifiers``"),
        Row(all, of: .endpoint, ["authorizationType"], "a ``BearerAuthentication`` in ``Channel/attemptMiddleware``"),
        Row(all, of: .endpoint, ["keyPathForData"], "``Endpoint/keyPath``"),
        Row(all, of: .endpoint, ["sampleData", "sampleResponse", "mockData"], "a ``Fixture``, outside the app"),
        Row(all, of: .endpoint, "baseURL", as: "String", "`var baseURL: String`, empty for the channel's"),
        Row(all, of: .endpoint, "headers", as: "Headers", "`var headers: Headers`; `Headers(dictionary)` makes them"),
        Row(all, of: .endpoint, "params", as: "Parameters?", "`var params: Parameters?`; `Parameters(value)` makes them"),
        Row(all, of: .endpoint, "url", as: "String", "`var url: String`"),
        Row(all, of: .endpoint, "encoding", as: "InputEncoding", "`var encoding: InputEncoding`"),
        Row(all, of: .endpoint, "modifiers", as: "[any RequestModifier]", "`var modifiers: [any RequestModifier]`"),
        Row(all, of: .endpoint, "keyPath", as: "String", "`var keyPath: String`, empty for the whole body"),
        Row(all, of: .interceptor, "adapt", as: "(_ x: inout Request)", "`func adapt(_ request: inout Request) async throws`"),
        Row(
            all, of: .interceptor, "retry", as: "(_ x: Response<Void>, dueTo x: APIClientError)",
            "`func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult`"),
        Row([.fetcher], of: .enhancer, "enhance", as: "(_ x: inout Request)", "`func enhance(_ request: inout Request) throws`"),
        Row(
            [.fetcher], of: .enhancer, "deenhance", as: "(_ x: inout Response<Data>)",
            "`func deenhance(_ response: inout Response<Data>)`"),
        Row([.fetcher], of: .enhancer, "static priority", as: "Priority", "`static var priority: Priority`"),
        Row([.fetcher], of: .enhancer, "instancePriority", as: "Priority?", "`var instancePriority: Priority?`"),
        Row(
            [.fetcher], of: .provider, ["static baseURL", "static headers"],
            "``BaseURL`` and ``Header`` in ``EndpointProvider/implicitModifiers``"),
        Row(
            [.fetcher], of: .provider, "static implicitModifiers", as: "[any RequestModifier]",
            "`static var implicitModifiers: [any RequestModifier]`"),
        Row(
            [.moya, .handWritten], of: .environment,
            ["commonHeaders", "specificHeaders", "headers", "serverTrustManager", "cachePolicy", "fixturesType"],
            "the ``APIEnvironment`` that is made of the host"),
        Row([.moya, .handWritten], of: .environment, ["mayBeSimulated"], "``EnvironmentType/isSimulated``"),
        Row([.moya, .handWritten], of: .environment, "isSimulated", as: "Bool", "`var isSimulated: Bool`"),
    ]
}
