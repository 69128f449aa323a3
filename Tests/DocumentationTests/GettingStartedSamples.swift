// Shown on the page "Getting started"; runs in GettingStartedTests.

import CoreAPI

extension Channel {
    static let echo = Channel("Echo", hosts: [.production: "https://httpbin.org"])
}

enum EchoEndpoint: Endpoint {
    case page(Int)

    var path: String { "get" }
    var method: HTTPMethod { .get }
    var params: Parameters? {
        switch self {
        case .page(let number): ["page": number]
        }
    }
}

struct Echo: Decodable, Sendable {
    let args: [String: String]
}

struct EchoFeature {
    private let manager = NetworkManager<EchoEndpoint>(channel: .echo)

    func page(_ number: Int) async throws(APIClientError) -> Echo {
        try await manager.request(endpoint: .page(number))
    }
}

enum EchoProgram {
    static func main() async {
        do {
            let echo = try await EchoFeature().page(1)
            print(echo.args)
        } catch {
            print(error)
        }
    }
}
