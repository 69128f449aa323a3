import Foundation
import Measure

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// FoundationNetworking's URLSession, tuned as its users do: as many connections as requests at once, no cache, no cookies. On
/// Linux it accepts no authority, so Scripts/bench replaces the system's authorities with the server's.
@main
struct BenchURLSession {
    static func main() {
        let job = Job()
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        if let count = job.hostLimit { configuration.httpMaximumConnectionsPerHost = count }
        let session = URLSession(configuration: configuration)
        if let stream = job.stream { return BenchStreams(job, configuration).measure(stream) }
        let decoder = JSONDecoder()
        job.measure { path in
            guard let url = URL(string: job.base + path) else { throw WrongAnswer(status: 0) }
            let (body, response) = try await session.data(from: url)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard status == 200, !body.isEmpty else { throw WrongAnswer(status: status) }
            switch job.decoding {
            case .body: return
            case .array: _ = try decoder.decode([Item].self, from: body)
            case .object: _ = try decoder.decode(Page.self, from: body)
            }
        }
    }
}
