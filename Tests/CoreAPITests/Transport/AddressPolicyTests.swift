import TestSupport

@testable import CoreAPICore

@Suite("The peers that a channel may connect to", .closing, .timeLimit(.minutes(1)))
struct AddressPolicyTests {
    private func kind(_ text: String) throws -> Limits.AddressClass {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        try #require(getaddrinfo(text, nil, &hints, &list) == 0)
        defer { freeaddrinfo(list) }
        return Limits.AddressClass(of: try #require(list?.pointee.ai_addr))
    }

    @Test(
        "every address that is not public has a class, in every notation",
        arguments: [
            ("127.0.0.1", .loopback), ("127.255.255.254", .loopback), ("0.0.0.0", .loopback), ("::1", .loopback),
            ("::", .loopback), ("::ffff:127.0.0.1", .loopback), ("::127.0.0.1", .loopback), ("64:ff9b::7f00:1", .loopback),
            ("2002:7f00:1::", .loopback), ("10.0.0.1", .privateNetwork), ("172.16.0.1", .privateNetwork),
            ("172.31.255.255", .privateNetwork), ("192.168.1.1", .privateNetwork), ("100.64.0.1", .privateNetwork),
            ("fd00::1", .privateNetwork), ("::ffff:10.1.2.3", .privateNetwork), ("fec0::1", .privateNetwork),
            ("169.254.169.254", .linkLocal), ("fe80::1", .linkLocal), ("::ffff:169.254.169.254", .linkLocal),
            ("224.0.0.1", .special), ("255.255.255.255", .special), ("192.0.2.1", .special), ("198.18.0.1", .special),
            ("ff02::1", .special), ("2001:db8::1", .special), ("2001::1", .special), ("100::1", .special), ("8.8.8.8", []),
            ("172.32.0.1", []), ("172.15.0.1", []), ("100.128.0.1", []), ("169.253.0.1", []), ("2606:4700::1111", []),
            ("::ffff:8.8.8.8", []), ("2002:808:808::", []),
        ] as [(String, Limits.AddressClass)])
    func kinds(address: String, expected: Limits.AddressClass) throws { #expect(try kind(address) == expected) }

    @Test("a redirect to a rejected peer is rejected, too")
    func redirected() async throws {
        let server = try LoopbackServer.start { _ in .redirect(to: "http://169.254.169.254/latest/meta-data") }
        var requests = Requests()
        requests.limits.rejectedAddresses = .linkLocal
        #expect(try await requests.send(.get, server.url).transportError?.label == "addressRejected")
        #expect(server.requests.count == 1)
    }

    @Test(
        "the kit never connects to a rejected peer under any name, nor reuses another channel's connection to it",
        arguments: ["127.0.0.1", "localhost", "[::1]"])
    func rejected(host: String) async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        var requests = Requests()
        let url = "http://\(host):\(server.port)"
        if host != "[::1]" { #expect(try await requests.send(.get, url).status == 200) }
        let accepted = server.connectionsAccepted
        requests.limits.rejectedAddresses = .nonPublic
        let error = try await requests.send(.get, url).transportError
        #expect(error?.label == "addressRejected", "\(String(describing: error))")
        #expect(server.connectionsAccepted == accepted)
        requests.limits.rejectedAddresses = [.linkLocal]
        if host != "[::1]" { #expect(try await requests.send(.get, url).status == 200) }
    }

    @Test(
        "a head with more lines than the limit is rejected, and with more than HTTPFields can hold whatever the limit",
        arguments: [(600, nil, ["tooManyHeadLines"]), (600, 700, []), (70_000, .max, ["tooManyHeadLines", "headTooLarge"])])
    func headLines(count: Int, limit: Int?, labels: [String]) async throws {
        let lines = String(repeating: "a:\r\n", count: count)
        let server = try LoopbackServer.test { _ in .garbage(Data("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n".utf8)) }
        var requests = Requests()
        if let limit { (requests.limits.responseHeadLines, requests.limits.responseHeadSize) = (limit, .max) }
        let response = try await requests.send(.get, server.url)
        // libcurl has its own limit since 8.6.
        #expect(
            labels.isEmpty ? response.status == 200 : labels.contains(response.transportError?.label ?? ""), "\(response.result)")
    }

    @Test("clear text is rejected, except to the named hosts")
    func clearText() async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        var channel = Channel.test(server.url) { $0.environment.allowsInsecureConnections = false }
        #expect(await channel.manager.response(for: TestEndpoint(), as: .data).error?.label == "channel")
        channel.environment.insecureHosts = ["127.0.0.1"]
        #expect(await channel.manager.response(for: TestEndpoint(), as: .data).error == nil)
        let other = TestEndpoint(baseURL: "http://localhost:\(server.port)")
        #expect(await channel.manager.response(for: other, as: .data).error?.label == "request.insecureConnection")
    }
}
