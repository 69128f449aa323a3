import CoreAPI

// Shown on the page "Retries, timeouts and deadlines"; what they do is tested in RetryTests.

extension Channel {
    static let parcels = Channel("Parcels", hosts: [.production: "https://api.parcels.example"])
        .with { channel in
            channel.modifiers = [Timeout(connect: .seconds(5), idle: .seconds(15), total: .seconds(30))]
            channel.interceptors = [RetryPolicy(attempts: 4, base: .milliseconds(200), cap: .seconds(2))]
        }
}

struct Parcel: Codable, Equatable, Sendable {
    let id: Int
}

/// Repeats a POST, too. All attempts of a call have the same key.
extension Channel {
    static let pickups = Channel.parcels.with { $0.enhancers = [IdempotencyKey()] }
}

/// Tells the backend how long its caller still waits.
struct RemainingTime: RequestInterceptor {
    func adapt(_ request: inout Request) async throws {
        let left = ContinuousClock.now.duration(to: request.deadline)
        try request.setHeader("X-Remaining-Milliseconds", "\(Int(left / .milliseconds(1)))")
    }
}
