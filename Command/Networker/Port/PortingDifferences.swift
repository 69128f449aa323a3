extension PortingTable {
    /// What behaves otherwise in ported code, besides the page <doc:BehavesOtherwise>, which is for all clients. Each line has a
    /// test with its title.
    static let differences: [PortingDifference] = [
        PortingDifference(
            [.alamofire], "A base URL and a path meet in one slash.",
            "``Endpoint/url`` is used unchanged."),
        PortingDifference(
            [.alamofire, .moya, .fetcher, .handWritten], "The kit gives up on a silent server after 30 s.",
            "`URLSession` waits 60 s. `channel.modifiers = [Timeout(idle: .seconds(60))]` waits as long."),
        PortingDifference(
            [.alamofire], "The parameters of a POST are a JSON body.",
            "`encoding: .form` makes a form of them."),
        PortingDifference(
            [.alamofire, .moya, .fetcher], "Arrays and booleans are written in OpenAPI's way.",
            "`channel.query = .alamofire` writes brackets and digits."),
        PortingDifference(
            [.alamofire, .moya], "A nested dictionary of several types is Parameters.",
            #"`["filter": ["from": 1, "to": "x"] as Parameters]`; use `[String: JSONValue]` for values known only at run time."#),
        PortingDifference(
            [.alamofire, .moya, .fetcher, .handWritten], "A date in a body is ISO 8601.",
            "`channel.coder = .json(dates: .deferredToDate, encodedDates: .deferredToDate)` writes and reads the seconds since 2001 of `JSONEncoder`."
        ),
        PortingDifference(
            [.alamofire], "Pinning without pins is a warning.",
            "A host alone pins nothing. Set a ``ServerTrustManager`` with a ``PinSet``."),
        PortingDifference(
            [.moya, .fetcher], "A status outside 2xx is a failure.",
            "`StatusCodeResponseVerifier(100..<600)` accepts any."),
        PortingDifference(
            [.moya], "An endpoint's base URL wins over the environment's.",
            "`environment.overridesBaseURLs = true` lets the environment's win."),
        PortingDifference(
            [.moya], "A simulated environment is never left.",
            "A request to another origin fails before it is sent."),
        PortingDifference(
            [.moya], "Sample data is no part of a production app.",
            "Fixtures need an environment with `isSimulated`, and live in test resources."),
        PortingDifference(
            [.moya], "An environment is a value.",
            #"To change it for all networkers: `environmentSwitch.update { $0.commonHeaders["X"] = "1" }`."#),
        PortingDifference(
            [.moya], "A filter or handler of your own type is wrapped.",
            "`ErrorFilter(ShopFilter())` wraps an ``ErrorFiltering``, `ResultHandler(SignOut())` a ``ResultHandling``."),
        PortingDifference(
            [.moya], "A certificate's public key is pinned.",
            "``PinnedCertificate`` in place of `Certificate`; a renewed certificate with the same key still matches."),
        PortingDifference(
            [.moya], "No Cache-Control is sent.",
            "`environment.cachePolicy = .revalidate` sends `no-cache`, as the policy `reloadIgnoringLocalAndRemoteCacheData` does."
        ),
        PortingDifference(
            [.moya], "A filter's default error is a function.",
            "`ErrorFilter(ShopFilter()).defaulting { _ in ShopError.unknown }` in place of `getDefaultError()`, which is not called."
        ),
        PortingDifference(
            [.fetcher], "Of several status verifiers the nearest counts.",
            "`StatusCodeResponseVerifier(200).always` applies as well."),
        PortingDifference(
            [.fetcher], "An enhancer sees the body's bytes.",
            "Change them with `response.map`, before they are decoded."),
        PortingDifference(
            [.fetcher], "NoInternetErrorHandler looks at the connection and not at a status of 599.",
            "`StatusCodeErrorHandler(599) { _ in .retry }` looks at the status."),
        PortingDifference(
            [.fetcher], "RequestTimeoutErrorHandler repeats only what may be repeated.",
            "A POST needs an `Idempotency-Key`."),
        PortingDifference(
            [.fetcher], "A header of your own type is a HeaderModifier.",
            #"``Header`` itself is a value: `Header("X-Tenant", "north")`."#),
        PortingDifference(
            [.fetcher], "A path may be a whole address only if the channel has no base URL.",
            "Elsewhere attach `BaseURL.ignore`; the error names it."),
        PortingDifference(
            [.fetcher], "A static let has its method and path for a name.",
            #"`create("examples", name: "all")` gives it another one."#),
        PortingDifference(
            [.fetcher], "Text without a charset is UTF-8.",
            "`String(data: response.data, encoding: .isoLatin1)` reads it as Latin-1."),
        PortingDifference(
            [.fetcher], "rawString is never nil.",
            "Without a response it is empty, and `response.head` is `nil`."),
        PortingDifference(
            [.fetcher], "cancel() does not stop a manual retry.",
            "Keep the `Task` in which you retry, and cancel that."),
        PortingDifference(
            [.fetcher], "No charset field is sent.",
            #"`channel.modifiers = [Header("charset", "utf-8")]` sends it."#),
        PortingDifference(
            [.fetcher], "Two base URLs of one priority are an error.",
            #"`BaseURL("https://b.example", priority: .high)` wins over another at its level."#),
        PortingDifference(
            [.fetcher], "A call has two log lines.",
            "`channel.logger = FunctionLogger { if case .finished = $0 { lines.log($0) } }` leaves the last one of your logger `lines`."
        ),
        PortingDifference(
            [.fetcher], "The kit's own enhancers have the priority 1,000.",
            "``Priority/core`` with ``Priority/more`` still runs before them."),
        PortingDifference(
            [.fetcher], "A CONNECT is rejected.",
            "It opens a tunnel, and only a proxy does that."),
        PortingDifference(
            [.handWritten], "A status outside 2xx is a failure.",
            "So are a 304 and the other 3xx; `StatusCodeResponseVerifier(200..<400)` accepts them."),
        PortingDifference(
            [.handWritten], "A method is written in lower case.",
            "Write `.get`, not `.GET`; the compiler reports it."),
        PortingDifference(
            [.handWritten], "A base URL keeps its path.",
            "`/ip` below `https://h.example/v1` is `/v1/ip`; `URL(string:relativeTo:)` would drop `/v1`."),
        PortingDifference(
            [.handWritten], "The parameters of a GET are its query.",
            "`encoding: .json` sends them as a body."),
        PortingDifference(
            [.handWritten], "shouldAllowInsecureConnections allows clear text only.",
            "A certificate is verified all the same: `environment.serverTrustManager = ServerTrustManager(authorities: .pem(text))` trusts an authority of your own."
        ),
        PortingDifference(
            [.handWritten], "A client is held and not subclassed.",
            "Your class has an ``APIClient``, as above, and configures it at creation."),
    ]
}
