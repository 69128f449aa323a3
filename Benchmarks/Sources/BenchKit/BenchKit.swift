import CoreAPI
import Foundation
import HTTPTypes
import Measure

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
    fileprivate static func bench(_ job: Job) -> Channel {
        var environment = APIEnvironment("bench", baseURL: job.base)
        environment.allowsInsecureConnections = true
        if let authority = job.authority { environment.serverTrustManager = ServerTrustManager(authorities: .file(authority)) }
        var limits = Limits()
        if let count = job.hostLimit {
            limits.connectionsPerHost = count
            limits.connections = max(limits.connections, count)
        }
        if let count = job.streams { limits.streamsPerConnection = count }
        return Channel(name: "BENCH", environment: environment, limits: limits)
    }
}

/// The kit as features use it: a manager over a channel.
@main
struct BenchKit {
    static func main() {
        let job = Job()
        let manager = NetworkManager<BenchEndpoint>(channel: .bench(job))
        switch job.decoding {
        case .body:
            job.measure { path in
                let response = await manager.response(for: .resource(path), decoding: .data)
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
