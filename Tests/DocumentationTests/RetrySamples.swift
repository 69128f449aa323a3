import CoreAPI
import Foundation

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

/// Gives a POST without a key its own. All attempts of a call have the same one, because an enhancer runs once per call.
struct IdempotencyKey: RequestEnhancer {
    func enhance(_ request: inout Request) throws {
        let isKeyed = request.headers.contains { $0.name.canonicalName == "idempotency-key" }
        guard request.method == .post, !isKeyed else { return }
        try request.setHeader("Idempotency-Key", UUID().uuidString)
    }
}

/// Tells the backend how long its caller still waits.
struct RemainingTime: RequestInterceptor {
    func adapt(_ request: inout Request) async throws {
        let left = ContinuousClock.now.duration(to: request.deadline)
        try request.setHeader("X-Remaining-Milliseconds", "\(Int(left / .milliseconds(1)))")
    }
}
