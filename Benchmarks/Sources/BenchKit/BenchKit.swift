import CoreAPI
import Foundation
import HTTPTypes
import Measure
import Synchronization

enum BenchEndpoint: Endpoint {
    case resource(String)

    var path: String {
        switch self {
        case .resource(let path): path
        }
    }
    var method: HTTPRequest.Method { .get }
}

extension Channel {
    fileprivate static func bench(_ job: Job, _ loops: LoopGroup, base: String? = nil) -> Channel {
        var environment = APIEnvironment("bench", baseURL: base ?? job.base)
        environment.allowsInsecureConnections = true
        if let authority = job.authority { environment.serverTrustManager = ServerTrustManager(authorities: .file(authority)) }
        var limits = Limits()
        if let count = job.hostLimit {
            limits.connectionsPerHost = count
            limits.connections = max(limits.connections, count)
        }
        if let count = job.streams { limits.streamsPerConnection = count }
        let transport = CurlTransport(limits: limits, loops: loops)
        return Channel(name: "BENCH", environment: environment, limits: limits, transport: transport)
    }
}

/// The kit as features use it: a manager over a channel.
@main
struct BenchKit {
    static func main() {
        let job = Job()
        let loops = job.loops.map { LoopGroup(loops: $0) } ?? .shared
        let managers = (0..<job.channels).map { _ in NetworkManager<BenchEndpoint>(channel: .bench(job, loops)) }
        let manager = managers[0]
        if let neighbour = job.neighbour, let slash = neighbour.lastIndex(of: "/") {
            let loops = job.isNeighbourApart ? LoopGroup(loops: 1) : loops
            let other = NetworkManager<BenchEndpoint>(channel: .bench(job, loops, base: String(neighbour[..<slash])))
            let path = String(neighbour[slash...])
            Job.disturb(job.neighbourRequests) { _ = await other.response(for: BenchEndpoint.resource(path), as: .data) }
        }
        if let stream = job.stream { return BenchStreams(job, manager).measure(stream) }
        switch job.decoding {
        case .body where managers.count > 1:
            let next = Atomic(0)
            job.measure { path in
                let manager = managers[next.wrappingAdd(1, ordering: .relaxed).oldValue % managers.count]
                let response = await manager.response(for: BenchEndpoint.resource(path), as: .data)
                guard try !response.value.isEmpty else { throw WrongAnswer(status: response.head?.status.code ?? 0) }
            }
        case .body:
            job.measure { path in
                let response = await manager.response(for: BenchEndpoint.resource(path), as: .data)
                guard try !response.value.isEmpty else { throw WrongAnswer(status: response.head?.status.code ?? 0) }
            }
        case .array:
            job.measure { path in
                let items: [Item] = try await manager.request(endpoint: .resource(path))
                guard !items.isEmpty else { throw WrongAnswer(status: 200) }
            }
        case .object:
            job.measure { path in
                let page: Page = try await manager.request(endpoint: .resource(path))
                guard !page.items.isEmpty else { throw WrongAnswer(status: 200) }
            }
        }
    }
}
