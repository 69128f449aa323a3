import TestSupport

@Suite("The page about servers that misbehave")
struct TestServersTests {
    @Test("A fault, and the second attempt")
    func fault() async throws {
        let server = try LoopbackServer.start(faults: [Fault(.inResponseBody, .reset)]) { _ in .json(#"{"id": 7}"#) }
        try await withChannel(.shop(.production), server: server) {
            let manager = NetworkManager<ShopEndpoint>(channel: .shop(.production))
            let product = try await manager.request(endpoint: .product(7), type: Product.self)
            #expect(product.id == 7)  // RetryPolicy asked again
        }
        #expect(server.requests.map(\.connection) == [0, 1])
    }

    @Test("A certificate that a client must reject")
    func certificate() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(.expired)) { _ in .json(#"{"id": 7}"#) }
        await withChannel(.shop(.production), server: server) {
            let manager = NetworkManager<ShopEndpoint>(channel: .shop(.production))
            let response = await manager.response(for: ShopEndpoint.product(7), as: Product.self)
            #expect(response.error?.label == "transport.tls")
        }
        try await server.waitForOpenConnections(atMost: 0)
        #expect(server.handshakesFailed == 1 && server.requests.isEmpty)
    }

    @Test("Two streams of one connection, held until both have begun")
    func streams() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.start(tls: ServerTLS()) { request in
            ServerReply.json(#"{"id": 7}"#).after(.waitFor(gate))
        }
        try await withChannel(.shop(.production), server: server) {
            let manager = NetworkManager<ShopEndpoint>(channel: .shop(.production))
            async let first = manager.request(endpoint: .product(7), type: Product.self)
            async let second = manager.request(endpoint: .product(7), type: Product.self)
            try await server.waitForRequests(2)  // both are there before either is answered: two streams
            gate.open()
            let products = try await [first, second]
            #expect(products.map(\.id) == [7, 7])
        }
        #expect(server.requests.allSatisfy { $0.version == "HTTP/2" && $0.connection == 0 })
    }
}
