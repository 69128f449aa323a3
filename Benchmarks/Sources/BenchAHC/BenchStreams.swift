import AsyncHTTPClient
import Foundation
import Measure
import NIOCore
import NIOFileSystem
import NIOFoundationCompat
import NIOHTTP1

/// Large bodies by the client's own means: its sequences, its delegate that writes a file, and SwiftNIO's chunks of a file. It
/// has no events, so a plain reader of lines finds them.
struct BenchStreams {
    let job: Job
    let client: HTTPClient

    init(_ job: Job, _ client: HTTPClient) {
        self.job = job
        self.client = client
    }

    func measure(_ stream: Job.Stream) {
        job.measure { path in
            let count =
                switch stream {
                case .down: try await download(path)
                case .up: try await upload(path)
                case .events, .decodedEvents: try await events(path, areDecoded: stream == .decodedEvents)
                }
            try WrongCount.check(count, job)
        }
    }

    private func answer(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let response = try await client.execute(request, timeout: .minutes(60))
        guard response.status == .ok else { throw WrongAnswer(status: Int(response.status.code)) }
        return response
    }

    private func download(_ path: String) async throws -> Int {
        if let file = job.file {
            let delegate = try FileDownloadDelegate(path: file)
            return try await client.execute(request: HTTPClient.Request(url: job.base + path), delegate: delegate).get()
                .receivedBytes
        }
        var count = 0
        for try await buffer in try await answer(HTTPClientRequest(url: job.base + path)).body { count += buffer.readableBytes }
        return count
    }

    private func upload(_ path: String) async throws -> Int {
        var request = HTTPClientRequest(url: job.base + path)
        request.method = .PUT
        let length = HTTPClientRequest.Body.Length.known(Int64(job.bytes))
        guard let file = job.file else {
            request.body = .stream(Pieces(left: job.bytes), length: length)
            _ = try await answer(request).body.collect(upTo: 1 << 20)
            return job.bytes
        }
        return try await FileSystem.shared.withFileHandle(forReadingAt: FilePath(file)) { handle in
            request.body = .stream(handle.readChunks(), length: length)
            _ = try await answer(request).body.collect(upTo: 1 << 20)
            return job.bytes
        }
    }

    private func events(_ path: String, areDecoded: Bool) async throws -> Int {
        var (count, lines) = (0, EventLines())
        let decoder = JSONDecoder()
        for try await buffer in try await answer(HTTPClientRequest(url: job.base + path)).body {
            try buffer.withUnsafeReadableBytes { bytes in
                try lines.read(bytes) { data in
                    if areDecoded { _ = try decoder.decode(Tick.self, from: Data(data)) }
                    count += 1
                }
            }
        }
        return count
    }
}

/// The same piece again and again.
private struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var left: Int
    private let piece = ByteBuffer(repeating: 0, count: pieceSize)

    init(left: Int) {
        self.left = left
    }

    func makeAsyncIterator() -> Pieces { self }

    mutating func next() async -> ByteBuffer? {
        guard left > 0, let next = piece.getSlice(at: 0, length: Swift.min(left, pieceSize)) else { return nil }
        left -= next.readableBytes
        return next
    }
}
