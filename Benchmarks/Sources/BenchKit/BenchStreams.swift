import CoreAPI
import CoreAPITransfers
import Foundation
import HTTPTypes
import Measure

/// Large bodies and events, through the doors that features use.
struct BenchStreams {
    private let job: Job
    private let manager: NetworkManager<BenchEndpoint>
    private let file: URL?

    init(_ job: Job, _ manager: NetworkManager<BenchEndpoint>) {
        self.job = job
        self.manager = manager
        file = job.file.map { URL(fileURLWithPath: $0) }
    }

    func measure(_ stream: Job.Stream) {
        job.measure { path in
            switch stream {
            case .down: try WrongCount.check(try await download(path), job)
            case .up: try await upload(path)
            case .events:
                var count = 0
                for try await _ in manager.events(.get(path), options: EventOptions(reconnections: 0)) { count += 1 }
                try WrongCount.check(count, job)
            case .decodedEvents:
                var count = 0
                for try await _ in manager.events(.get(path), as: Tick.self, options: EventOptions(reconnections: 0)) {
                    count += 1
                }
                try WrongCount.check(count, job)
            }
        }
    }

    private func download(_ path: String) async throws -> Int {
        if let file { return Int(try await manager.download(BenchEndpoint.resource(path), to: file).value.length) }
        var count = 0
        for try await chunk in try await manager.stream(BenchEndpoint.resource(path)).value { count += chunk.count }
        return count
    }

    private func upload(_ path: String) async throws {
        let body =
            file.map { Body.file($0) } ?? .stream(Body.Stream(length: Int64(job.bytes)) { [job] in Pieces(left: job.bytes) })
        try await manager.upload(.put(path), from: body).value
    }
}

/// The same piece again and again.
private struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var left: Int
    private let piece = Data(count: pieceSize)

    init(left: Int) {
        self.left = left
    }

    func makeAsyncIterator() -> Pieces { self }

    mutating func next() async -> Data? {
        guard left > 0 else { return nil }
        let next = piece.prefix(left)
        left -= next.count
        return next
    }
}
