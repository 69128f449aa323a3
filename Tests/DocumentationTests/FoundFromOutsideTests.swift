import Foundation
import Testing

/// Findings of users of the kit, each with the test that covers it.
@Suite("Found from outside")
struct FoundFromOutsideTests {
    struct Row: Sendable, CustomStringConvertible {
        let what: String
        let file: String
        let test: String

        init(_ what: String, _ file: String, _ test: String) {
            (self.what, self.file, self.test) = (what, file, test)
        }

        var description: String { what }
    }

    private static let ported = "CoreAPITests/PortedDesignsTests"
    private static let otherwise = "CoreAPITests/BehavesOtherwiseTests"
    private static let seeds = "DocumentationTests/SeedSnippetsTests"

    /// Silent: the code compiled or succeeded, but did something else.
    static let silent: [Row] = [
        Row(
            "A1: a spelling of another design", "CoreAPITests/Endpoint/SpellingsTests",
            "do not compile, and the compiler names the right spelling"),
        Row(
            "A1: the kit's own spelling", "CoreAPITests/Endpoint/SpellingsTests",
            "leave the kit's own spellings, and values of an endpoint's own, alone"),
        Row(
            "A2: 301 and 302 to other methods than POST", "CoreAPITests/Transport/RedirectTests",
            "The method and the body after a redirect"),
        Row(
            "A3: an encoding without parameters", ported,
            "a custom encoding is called without parameters, too; the kit's own then write no body"),
        Row(
            "A4: an endpoint's base URL in another environment", ported,
            "an endpoint's own base URL wins, unless the environment's rule is different"),
        Row(
            "A4: a simulated environment", ported,
            "an environment that may be simulated is never left by a base URL, an absolute address, an interceptor or a switch"
        ),
        Row(
            "A5: changes of an environment from many tasks", ported,
            "an environment that many tasks change in place loses no change"),
        Row(
            "A6: a dispatcher or client inside withChannel", ported,
            "a dispatcher and a client made inside withChannel are swapped as well"),
        Row(
            "A6: an isolated copy keeps its stub", ported,
            "an isolated copy of a channel keeps a stub, and has its own connections over the kit's transport"),
        Row(
            "A7: the refresh's retry policy", ported,
            "a token's refresh skips its own authentication and no other hook"),
        Row("A8: pinning without pins", ported, "active pinning without any pins is one warning"),
        Row(
            "A8: hosts that are not named", "CoreAPITests/Trust/PinnedCertificateTests",
            "are read from PEM and DER and pin their host; other hosts are refused by default"),
        Row(
            "A9: canonically equivalent names", "CoreAPITests/Endpoint/FieldNamesTests",
            "canonically equivalent names are two names, in query, form, nested keys and dictionaries"),
        Row(
            "A10: an envelope of another shape", ported,
            "a refused answer whose body does not have the error's shape gives the reason"),
    ]

    /// Careless servers, whose answers are unambiguous.
    static let servers: [Row] = [
        Row(
            "B1: a 204 with a length", "CoreAPITests/Transport/ResponseHeadTests",
            "an answer without a body ends at its head, with any announced length, and is a success"),
        Row(
            "B1: a 204 with a body", "CoreAPITests/Transport/ResponseHeadTests",
            "bytes after a 204 never become the next answer on its connection"),
        Row(
            "B1: a 205 with a body", "CoreAPITests/Transport/ResponseHeadTests",
            "a 205 with a complete body is a success"),
        Row(
            "B2: a token that is not a content coding", "CoreAPITests/Transport/CompressionTests",
            "a token that is not a coding is ignored, and an unknown coding leaves the bytes encoded"),
        Row(
            "B3: bytes after the end of a coding", "CoreAPITests/Transport/CompressionTests",
            "bytes after a coding's end are ignored, because its checksum and length were correct"),
        Row(
            "B4: an unknown charset", "CoreAPITests/Response/CharsetTests",
            "in an unknown or empty charset is UTF-8, and exact text in an unknown one is an error"),
        Row(
            "B5: Content-Type twice", "CoreAPITests/Response/VerificationTests",
            "of several media types the verifier asks for the last valid one, on lines of their own or in a list"),
        Row(
            "B6: Transfer-Encoding: identity", "CoreAPITests/Transport/TruncationTests",
            "a length beside a Transfer-Encoding that codes nothing is the body's"),
        Row(
            "B7: a Location in Latin-1", "CoreAPITests/Transport/RedirectTests",
            "The bytes of a Location are data: those beyond ASCII and a backslash in the query are percent-encoded"),
        Row(
            "B8: a backslash in a query or fragment", "CoreAPITests/Request/HTTPURLTests",
            "a backslash in a query is data, and one in a fragment goes with it"),
        Row(
            "B9: a host beyond ASCII", "CoreAPITests/Request/HTTPURLTests",
            "a host with letters beyond ASCII is in the form that DNS knows (UTS 46)"),
        Row(
            "B10: Digest without qop", "CoreAPIDigestTests/DigestAuthenticationTests",
            "a challenge without qop is answered if that is allowed, also in advance and after a stale nonce"),
        Row(
            "B11: a Retry-After with a fraction", "CoreAPITests/Interceptors/RetryPolicyTests",
            "rounds a fraction of a second up, and takes the longest of several"),
        Row(
            "B12: a cookie in Latin-1", "CoreAPITests/Cookies/CookiesOverTheWireTests",
            "go back byte for byte as they came, in Latin-1, UTF-8 or anything else"),
        Row(
            "B13: HTTP/2, a 204 with a length", "CoreAPITests/Transport/StreamEndTests",
            "a 204 with a length of 0 is a success; with another length the error gives the reason"),
        Row(
            "B13: HTTP/2, a 413 while the body is sent", "CoreAPITests/Transport/StreamEndTests",
            "an answer that is complete before the request's body is sent is a success, however the server stops the upload"),
        Row(
            "B14: a proxy that asks for credentials, refuses or is missing", "NetworkerCommandTests/ProcessTests",
            "names the failed proxy and its variable"),
    ]

    static let secrets: [Row] = [
        Row(
            "C1: a redirect to another origin", "CoreAPITests/Transport/RedirectTests",
            "Another port is another origin: it gets only harmless fields and those that the channel names"
        ),
        Row(
            "C2: forty secrets", "CoreAPITests/Logging/PlantedSecretsTests",
            "No text that the kit prints contains a secret of a header, query, form, JSON, XML, redirect or cookie"),
        Row(
            "C3: thirty names that are not secret", "CoreAPITests/Logging/PlantedSecretsTests",
            "A name that only resembles a secret's is shown in headers, queries, forms, JSON, XML and redirects"),
    ]

    static let requests: [Row] = [
        Row(
            "D1: a dictionary's order", "CoreAPITests/Endpoint/FieldNamesTests",
            "a dictionary at any level has its keys sorted by bytes; structs and literals keep their order"),
        Row("D2: nil in a numbered array", "CoreAPITests/Endpoint/FieldNamesTests", "arrays are numbered after nil is left out"),
        Row(
            "D3: one setting for a channel", "CoreAPITests/Endpoint/QueryStyleTests",
            "applies to queries and forms without their own style, as in Alamofire"),
    ]

    static let read: [Row] = [
        Row(
            "E: the coding path of a number that does not fit", "CoreAPITests/Response/AnswersTests",
            "with a number that its type cannot represent has the number's path"),
        Row(
            "E: levels of cancellations and expected refusals", "CoreAPITests/Logging/CoreNetworkLoggerTests",
            "a refused status is a notice, a cancelled call is debug, any other failure is an error; a channel can change that"
        ),
        Row(
            "E: localizedDescription", "CoreAPITests/Errors/UserTextTests",
            "What a user reads is one sentence without ids, channels, hosts, addresses and secrets"),
        Row(
            "E: labels of app errors", "CoreAPITests/Errors/UserTextTests",
            "The label of an app's error is its own, else that of the original error, else the status"),
        Row(
            "E: errors about HTTP that breaks its rules", "CoreAPITests/Errors/ErrorTextTests",
            "An HTTP answer that breaks HTTP's rules has such an error"),
        Row(
            "E: a key path with converted keys", "CoreAPITests/Response/AnswersTests",
            "below a path is found by the body's spelling and by the strategy's spelling"),
        Row(
            "E: a float literal", "CoreAPITests/Response/JSONValueTests",
            "a number with a point in a literal is the number that parsing it gives"),
        Row(
            "E: the doctor's advice for a missing authority file", "NetworkerCommandTests/Doctor/ExaminationTests",
            "a missing authority file is named, with the command that writes it"),
        Row(
            "E: times in the log", "CoreAPITests/Logging/CoreNetworkLoggerTests",
            "has the times of name lookup, connection, TLS and first byte in milliseconds, and the received bytes"),
        Row(
            "E: a logger made of a closure", "CoreAPITests/Endpoint/SpellingsTests",
            "do not compile, and the compiler names the right spelling"),
    ]

    /// Behaviour that code from the four designs relies on.
    static let porting: [Row] = [
        Row("all: cookies", otherwise, "Cookies are off."),
        Row("all: Accept-Language", otherwise, "No Accept-Language is sent."),
        Row("all: class models", otherwise, "A model has to be Sendable."),
        Row(
            "Trendyol: NetworkManager(host:networkLogger:interceptor:)", ported,
            "a manager is made from a host as text, with its own transport"),
        Row(
            "Trendyol: Completion and HTTPMethod", ported,
            "a completion has a name, gets an answer without a value too, and runs on the main actor"),
        Row("Trendyol: an endpoint's description", ported, "an endpoint prints its name without its values"),
        Row(
            "Trendyol: EmptyResponse on a 204", seeds,
            "Alamofire: a networker class with a host as text, an endpoint enum and an interactor with its output"),
        Row(
            "OxeNetworking: ResultHandler and ErrorFilter by conformance", seeds,
            "Moya: an environment, targets with a base URL and a key path, an error filter and a result handler by conformance"),
        Row("OxeNetworking: Certificate by conformance", seeds, "Moya: certificates by conformance pin their hosts"),
        Row(
            "OxeNetworking: allHostsMustBeEvaluated", "CoreAPITests/Trust/PinnedCertificateTests",
            "are read from PEM and DER and pin their host; other hosts are refused by default"),
        Row(
            "OxeNetworking: an environment without a base URL", ported,
            "without a base URL in the environment the endpoint's is used, and a call without one fails"),
        Row(
            "OxeNetworking: a key path of the endpoint", ported,
            "the endpoint has the key path of its value; the call's own wins, and bytes and text are the whole body"),
        Row(
            "OxeNetworking: a failure that becomes a success", ported,
            "a custom filter names errors, translates them and turns a failure into a success"),
        Row(
            "GifWallet: a client class", seeds,
            "A hand-written client: a class around a client, with a handler and an environment enum"),
        Row(
            "GifWallet: handler, parse step, malformed base URL", ported,
            "a client has a form with a completion and parses by itself; a malformed base URL is the request's own error"),
        Row(
            "Fetcher: endpoints without a provider, modifiers, decoding", ported,
            "typed endpoints are made without a provider, with modifiers in order, and their decoding may be replaced"),
        Row("Fetcher: an optional output on an empty 200", otherwise, "An empty answer is a failure where a value is expected."),
        Row(
            "Fetcher: a handler that returns a value", ported,
            "an error handler may replace a failure with a value of the requested type"),
        Row("Fetcher: a success that is repeated", ported, "a success may be repeated, too"),
        Row("Fetcher: several status verifiers", otherwise, "Of several status verifiers the nearest counts."),
        Row(
            "Fetcher: status handlers' lists and ranges, the timeout handler's delay", ported,
            "status handlers take lists and ranges, and the timeout's handler its pause"),
        Row(
            "Fetcher: own header types, registered against the endpoint's", ported,
            "a header may be a custom type, and the nearest wins"),
        Row("Fetcher: BaseURL(nil)", ported, "a base URL that is nil changes nothing"),
        Row("Fetcher: Cancellable", ported, "a cancellable is made and composed"),
        Row(
            "Fetcher: publishers of the whole response", "CoreAPIReactiveTests/ReactiveTests",
            "publishes the whole response of a success or a failure, and never fails"),
        Row(
            "Fetcher: .custom(150) above .high", "CoreAPITests/Enhancers/RequestEnhancerTests",
            "enhancers run in the order of their priorities, including one step more or less"),
    ]

    @Test("each row names a test of its file", arguments: silent + servers + secrets + requests + read + porting)
    func row(_ row: Row) throws {
        let text = try Documentation.text("Tests/\(row.file).swift")
        #expect(text.contains("\"\(row.test)\""), "no test in \(row.file) is named \"\(row.test)\"")
    }

    @Test("no row is missing")
    func complete() {
        let numbered = Set((Self.silent + Self.servers + Self.secrets + Self.requests).map { $0.what.prefix { $0 != ":" } })
        let expected =
            (1...10).map { "A\($0)" } + (1...14).map { "B\($0)" } + (1...3).map { "C\($0)" } + (1...3).map { "D\($0)" }
        #expect(numbered == Set(expected.map { Substring($0) }))
        // The sentences of E, and the clauses of each line of PORTING, by design.
        #expect(Set(Self.read.map(\.what)).count == 10)
        let clauses = Dictionary(grouping: Self.porting) { $0.what.prefix { $0 != ":" } }.mapValues(\.count)
        #expect(clauses == ["all": 3, "Trendyol": 4, "OxeNetworking": 6, "GifWallet": 2, "Fetcher": 11])
    }
}
