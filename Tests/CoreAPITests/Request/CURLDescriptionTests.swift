import TestSupport

@Suite("The cURL form", .closing)
struct CURLDescriptionTests {
    private func paste(_ command: String) async throws {
        // Through standard input, as a paste; a command line would limit its length.
        let input = temporaryFile("paste")
        try Data((command + " --silent --max-time 10 --output /dev/null\n").utf8).write(to: input)
        #expect(try await Program.run(["/bin/sh"], input: input.path).status == 0, "\(command)")
    }

    static let endpoints: [TestEndpoint] = [
        TestEndpoint("a b/ç?q=1&r=it's"),
        TestEndpoint(
            "a", .post, headers: ["Authorization": "Bearer s3cret", "X-Quote": #"it's "quoted" $HOME `id`"#],
            params: ["name": "O'Neil", "n": 1], encoding: .body),
        TestEndpoint("a", .put, params: ["a": "x y", "b": "ş"], encoding: .form),
        TestEndpoint("a", .post),
        TestEndpoint("a", .delete),
        TestEndpoint("a", HTTPRequest.Method("QUERY")!),
        TestEndpoint("a", .put, headers: ["Content-Length": "2"], params: ["a": 1], encoding: .body),
        TestEndpoint("a", .post, params: ["a": String(repeating: "ş", count: 200_000)], encoding: .body),
        TestEndpoint("[1,2]/{x}", .get, headers: ["X-Empty": "", "Accept": "text/plain", "Accept-Encoding": "identity"]),
        TestEndpoint(
            "a", .post, params: [0],
            encoding: InputEncoding("bytes") { _, request in
                request.body = .bytes(Data([0, 255, 10, 13, 39, 37, 92] + Array(0...255)))
                request.headers[.contentType] = "application/octet-stream"
            }),
        TestEndpoint(
            "a", .post, params: [0],
            encoding: InputEncoding("at sign") { _, request in request.body = .bytes(Data("@/etc/passwd".utf8)) }),
    ]

    @Test("pasted into a shell, it sends the same bytes", arguments: endpoints.indices)
    func sameBytes(index: Int) async throws {
        let server = try LoopbackServer.test { _ in .ok("{}") }
        let response = await server.manager.response(for: Self.endpoints[index], as: .nothing)
        #expect(response.error == nil)
        let ours = try #require(server.requests.last)
        try await paste(#require(response.request).cURLDescription(revealingSecrets: true))
        let theirs = try #require(server.requests.last)
        #expect(server.requests.count == 2)
        #expect(theirs.method == ours.method && theirs.target == ours.target && theirs.body == ours.body)
        // The offered codings depend on libcurl, and the order of different fields has no meaning in HTTP.
        func fields(_ request: ReceivedRequest) -> [String] {
            request.headers.map { "\($0.name.lowercased()): \($0.value)" }.filter { !$0.hasPrefix("accept-encoding: deflate") }
                .sorted()
        }
        #expect(fields(theirs) == fields(ours))
    }

    @Test("hides secrets unless they are requested")
    func redaction() async throws {
        let transport = RecordingTransport()
        let endpoint = TestEndpoint(
            "a?token=s3cret", .post, headers: ["Authorization": "Bearer s3cret", "Cookie": "a=s3cret"],
            params: ["password": "s3cret"],
            encoding: .body)
        try await Channel.test(transport).manager.request(endpoint: endpoint)
        let request = try #require(transport.requests.first)
        #expect(!request.cURLDescription().contains("s3cret"))
        var binary = request
        binary.body = .bytes(Data("token=s3cret\0".utf8))
        #expect(!binary.cURLDescription().contains("163"), "octal is readable too")
        #expect(request.cURLDescription(revealingSecrets: true).components(separatedBy: "s3cret").count == 5)
    }
}
