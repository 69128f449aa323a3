import TestSupport

/// The kit's own transport, set up to trust one server.
struct Client {
    let channel: Channel
    let url: String
    private let checked: HTTPURL

    init(_ server: LoopbackServer, name: String = "test") throws {
        url = server.url
        checked = try HTTPURL(server.url)
        var environment = APIEnvironment("loopback", baseURL: server.url)
        environment.serverTrustManager = ServerTrustManager(authorities: server.tls.map { .pem($0.authorityPEM) } ?? .system)
        environment.allowsInsecureConnections = server.tls == nil
        channel = Channel(name: name, environment: environment)
    }

    /// The response's text.
    func send(_ path: String = "/", body: String? = nil) async throws -> String {
        let reply = await respond(path, body: body)
        if let failure = reply.failure { throw failure }
        return String(decoding: reply.data, as: UTF8.self)
    }

    func respond(_ path: String = "/", body: String? = nil, timeout: Timeout = Timeout(.seconds(20))) async -> RawResponse {
        let request = Request(
            call: Call(channel: channel, endpoint: "test"), method: body == nil ? .get : .post,
            url: (try? HTTPURL(url + path)) ?? checked, body: body.map { .bytes(Data($0.utf8)) } ?? .none, timeout: timeout)
        return await channel.transport.send(Attempt(request))
    }

    func close() async {
        await channel.close()
    }
}
