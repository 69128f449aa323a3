import AsyncHTTPClient
import Foundation
import Measure
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// async-http-client, tuned as its users do: shared event loops, as many connections as requests at once, HTTP/2 if the server
/// has it, collected bodies.
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
        let threads = job.loops.map { MultiThreadedEventLoopGroup(numberOfThreads: $0) }
        let group: any EventLoopGroup = threads ?? HTTPClient.defaultEventLoopGroup
        let clients = (0..<job.channels).map { _ in HTTPClient(eventLoopGroup: group, configuration: configuration) }
        let next = Atomic(0)
        if let neighbour = job.neighbour {
            let threads = job.isNeighbourApart ? MultiThreadedEventLoopGroup(numberOfThreads: 1) : group
            let other = HTTPClient(eventLoopGroup: threads, configuration: configuration)
            Job.disturb(job.neighbourRequests) {
                _ = try await other.execute(HTTPClientRequest(url: neighbour), timeout: .minutes(60)).body.collect(upTo: 1 << 26)
            }
        }
        if let stream = job.stream {
            BenchStreams(job, clients[0]).measure(stream)
            return try clients[0].syncShutdown()
        }
        let decoder = JSONDecoder()
        job.measure { path in
            let client = clients[next.wrappingAdd(1, ordering: .relaxed).oldValue % clients.count]
            let response = try await client.execute(HTTPClientRequest(url: job.base + path), timeout: .minutes(60))
            let body = try await response.body.collect(upTo: 1 << 26)
            guard response.status == .ok, body.readableBytes > 0 else { throw WrongAnswer(status: Int(response.status.code)) }
            switch job.decoding {
            case .body: return
            case .array: _ = try decoder.decode([Item].self, from: body)
            case .object: _ = try decoder.decode(Page.self, from: body)
            }
        }
        // The process's end cancels the neighbour's requests.
        if job.neighbour == nil { for client in clients { try client.syncShutdown() } }
    }
}
