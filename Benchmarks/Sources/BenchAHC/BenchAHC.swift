import AsyncHTTPClient
import Foundation
import Measure
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL

/// async-http-client as its users tune it: the shared event loops, connections to the host as many as requests at once, HTTP/2 where the
/// server has it, bodies collected.
@main
struct BenchAHC {
    static func main() throws {
        let job = Job()
        var configuration = HTTPClient.Configuration()
        if let count = job.hostLimit { configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = count }
        if let authority = job.authority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authority)
            configuration.tlsConfiguration = tls
        }
        let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        let decoder = JSONDecoder()
        job.measure { path in
            let response = try await client.execute(HTTPClientRequest(url: job.base + path), timeout: .minutes(60))
            let body = try await response.body.collect(upTo: 1 << 26)
            guard response.status == .ok, body.readableBytes > 0 else { throw WrongAnswer(status: Int(response.status.code)) }
            switch job.decoding {
            case .body: return
            case .array: _ = try decoder.decode([Item].self, from: body)
            case .object: _ = try decoder.decode(Page.self, from: body)
            }
        }
        try client.syncShutdown()
    }
}
