import CoreAPI
import CoreAPITesting
import Foundation

struct TestHost: EnvironmentType {
    var name = "test"
    var baseURL: String
}

extension Channel {
    /// A channel to a server on loopback, or to fixtures.
    static func test(_ baseURL: String = "http://127.0.0.1:9/", transport: (any Transport)? = nil) -> Channel {
        Channel(
            name: "test", environment: APIEnvironment(TestHost(baseURL: baseURL), allowsInsecureConnections: true),
            transport: transport)
    }

    static func test(_ server: LoopbackServer) -> Channel {
        var channel = Channel.test(server.url)
        if let tls = server.tls {
            channel.environment.serverTrustManager = ServerTrustManager(authorities: .pem(tls.authorityPEM))
        }
        return channel
    }

    var manager: NetworkManager<Never> { NetworkManager(channel: self) }
}

extension Body {
    /// A body that arrives in these pieces.
    static func pieces(_ pieces: [Data]) -> Body {
        .stream(
            Body.Stream {
                AsyncStream { continuation in
                    for piece in pieces { continuation.yield(piece) }
                    continuation.finish()
                }
            })
    }

    /// A body that arrives in pieces of one size.
    static func cut(_ bytes: Data, every size: Int) -> Body {
        .pieces(stride(from: 0, to: bytes.count, by: size).map { Data(bytes.dropFirst($0).prefix(size)) })
    }
}

extension AsyncSequence {
    func all() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }
}
