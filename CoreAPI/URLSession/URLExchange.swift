internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// One request and its response. It ends once, by the first of: the response, a failure, a timeout, a cancellation. The kit runs
/// its own clocks: Linux truncates `timeoutInterval` to whole seconds, and ignores `timeoutIntervalForResource`.
final class URLExchange: Sendable {
    private struct State {
        var head: ResponseHead?
        var body = Data()
        var received: Int64 = 0
        /// The caller's side of the body, once it has the head.
        var chunks: ChunkBuffer?
        var raw: RawResponse?
        var waiter: CheckedContinuation<RawResponse, Never>?
        var isOver = false
        var lastActivity = ContinuousClock.now
        var atEnd: [@Sendable () -> Void] = []
    }

    private let attempt: Attempt
    private let request: URLRequest
    private let state = Mutex(State())

    init(_ attempt: Attempt, _ request: URLRequest) { (self.attempt, self.request) = (attempt, request) }

    private var bodySize: Int { attempt.call.channel.limits.responseBodySize }

    /// Sends the request; the response has the whole body, or the head and a stream.
    func raw(over session: RoutedSession) async -> RawResponse {
        let clock = Task { while let due = check() { try await Task.sleep(until: due, clock: .continuous) } }
        onEnd { clock.cancel() }
        let sending = Task {
            do {
                let upload = try await SentBody(attempt.request.body, onProgress: touch)
                onEnd { upload.discard() }
                try Task.checkCancellation()
                touch()
                session.start(self, request, upload)
            } catch {
                end(TransportError.bodyUnreadable(error))
            }
        }
        onEnd { sending.cancel() }
        return await withCheckedContinuation { waiter in
            let raw = state.withLock { state in
                if state.raw == nil { state.waiter = waiter }
                defer { state.raw = nil }
                return state.raw
            }
            if let raw { waiter.resume(returning: raw) }
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Calls back at the end, or at once after the end.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.atEnd.append(action) }
            return state.isOver
        }
        if isOver { action() }
    }

    func touch() { state.withLock { $0.lastActivity = .now } }

    /// - Parameter count: the bytes of the body so far.
    func sent(_ count: Int64) {
        touch()
        attempt.request.modifier(SendingObserver.self)?.sent(count)
    }

    /// Checks the timeouts; returns when to check again.
    private func check() -> ContinuousClock.Instant? {
        let timeout = attempt.request.timeout
        let (lastActivity, isOver) = state.withLock { ($0.lastActivity, $0.isOver) }
        guard !isOver else { return nil }
        let (deadline, idleEnd, now) = (attempt.request.deadline, lastActivity + timeout.idle, ContinuousClock.now)
        guard now >= min(deadline, idleEnd) else { return min(deadline, idleEnd) }
        end(
            now >= deadline
                ? TransportError.timedOut(.total, after: timeout.total) : TransportError.timedOut(.idle, after: timeout.idle))
        return nil
    }

    func receive(_ response: URLResponse) {
        // Interim responses, such as 103, arrive as separate responses on Linux.
        guard let response = response as? HTTPURLResponse, response.statusCode >= 200 else { return touch() }
        let (head, isDecoded) = WireForm.head(response, hasBody: hasBody(response.statusCode))
        let failure = WireForm.failure(of: head, to: attempt.request)
        let chunks =
            attempt.streamsBody && failure == nil
            ? ChunkBuffer(limit: bodySize, resume: {}, abandoned: abandon) : nil
        let isFirst = state.withLock { state in
            guard !state.isOver, state.head == nil else { return false }
            (state.head, state.chunks, state.lastActivity) = (head, chunks, .now)
            return true
        }
        guard isFirst else { return }
        if let failure { return end(failure) }
        if let chunks { settle(RawResponse(attempt, head: head, body: Reader(chunks).body(attempt, head, isDecoded: isDecoded))) }
    }

    func receive(_ data: Data) {
        let (chunks, size, limit) = state.withLock { state in
            let limit: (size: Int, isDiscarded: Bool) = state.head.map { attempt.bodyLimit(of: $0) } ?? (bodySize, false)
            state.lastActivity = .now
            state.received += Int64(data.count)
            guard !state.isOver, state.chunks == nil else { return (state.chunks, 0, limit) }
            if state.body.count + data.count <= limit.size { state.body += data }
            return (nil, Int(state.received), limit)
        }
        chunks?.offer(data)
        if size > limit.size || chunks?.hasRoom() == false {
            end(limit.isDiscarded && chunks == nil ? nil : TransportError.responseTooLarge(limit: limit.size))
        }
    }

    /// - Parameter response: the response; on Linux a redirect without a usable address is reported only here, without its body.
    func complete(_ response: URLResponse?, _ error: (any Error)?) {
        let hadHead = state.withLock { $0.head != nil }
        if error == nil, let response { receive(response) }
        let (head, received, isStream) = state.withLock { ($0.head, $0.received, $0.chunks != nil) }
        if let head, !isStream, attempt.bodyLimit(of: head).isDiscarded { return end(nil) }
        if let error { return end(WireForm.error(error, head: head, received: received, to: attempt.request)) }
        if hadHead, let head, let expected = head.length, received < expected, hasBody(head.status.code) {
            return end(TransportError.truncated(received: received, expected: expected))
        }
        end(nil)
    }

    private func hasBody(_ status: Int) -> Bool { attempt.request.method != .head && status != 204 && status != 304 }

    /// Ends the exchange; later events change nothing.
    func end(_ failure: (any Error)?) {
        let (ended, isFirst) = state.withLock { state in
            defer { (state.isOver, state.atEnd, state.chunks) = (true, [], nil) }
            return (state, !state.isOver)
        }
        guard isFirst else { return }
        for action in ended.atEnd { action() }
        let error = failure.map {
            APIClientError(
                $0, APIClientError.Context(attempt.request, head: ended.head, body: ended.body), stage: APIClientError.unknown)
        }
        if let chunks = ended.chunks {
            chunks.finish(error.map { .failure($0) } ?? .success(()))
        } else {
            settle(RawResponse(attempt, head: ended.head, body: .bytes(ended.body), failure: error))
        }
    }

    @Sendable private func abandon() { end(CancellationError()) }

    private func settle(_ raw: RawResponse) {
        let waiter = state.withLock { state in
            // Not kept: a streamed body ends the exchange when it is released.
            if state.waiter == nil { state.raw = raw }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: raw)
    }
}

/// The reading side of a streamed body. Leaving the loop over a body, and releasing it unread, ends the exchange.
private final class Reader: Sendable {
    private let chunks: ChunkBuffer

    init(_ chunks: ChunkBuffer) { self.chunks = chunks }

    deinit { chunks.abandon() }

    func body(_ attempt: Attempt, _ head: ResponseHead, isDecoded: Bool) -> Body {
        let source = ChunkSource(isReplayable: false) { [self] in
            var received: Int64 = 0
            let iteration = try ChunkBuffer.Iteration(over: chunks)
            return { [self] in
                defer { withExtendedLifetime(iteration) {} }
                do {
                    guard let chunk = try await chunks.next() else { return nil }
                    received += Int64(chunk.count)
                    attempt.notify(.body(attempt, received: received, expected: head.length))
                    return chunk
                } catch {
                    let context = APIClientError.Context(attempt.request, head: head)
                    throw APIClientError(error, context.after(.init(bytes: received, items: 0)))
                }
            }
        }
        var stream = Body.Stream(length: head.length, source)
        stream.isDecoded = isDecoded
        return .stream(stream)
    }
}

extension ResponseHead {
    var length: Int64? { headers[.contentLength].flatMap { Int64($0) } }
}

/// The source of a request's body.
enum SentBody {
    case nothing
    case bytes(Data)
    /// - isTemporary: whether it was written for this request.
    case file(URL, isTemporary: Bool)

    struct WrongLength: LocalizedError {
        let expected: Int64
        let got: Int64
        var errorDescription: String? { "expected \(expected) bytes, but the body has \(got) or more" }
    }

    /// - Parameter onProgress: called after each chunk of a stream that was written.
    /// - Throws: the error of reading a stream or a file.
    init(_ body: Body, onProgress: () -> Void) async throws {
        switch body {
        case .none: self = .nothing
        case .bytes(let data): self = data.isEmpty ? .nothing : .bytes(data)
        case .file(let url):
            try url.checkIsLocalFile()
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            // Foundation on Linux waits forever for the first byte of an empty file.
            self = try file.seekToEnd() == 0 ? .nothing : .file(url, isTemporary: false)
        case .stream(let stream):
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("networkerkit-body-\(UUID().uuidString)")
            let length = try await Self.write(body, to: url, onProgress)
            let upload = SentBody.file(url, isTemporary: true)
            if let expected = stream.length, length != expected {
                upload.discard()
                throw WrongLength(expected: expected, got: length)
            }
            if length == 0 { upload.discard() }
            self = length == 0 ? .nothing : upload
        }
    }

    /// Writes a stream to a file that only this user can read; returns its size.
    private static func write(_ body: Body, to url: URL, _ onProgress: () -> Void) async throws -> Int64 {
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteUnknown)
        }
        do {
            let file = try FileHandle(forWritingTo: url)
            defer { try? file.close() }
            var length: Int64 = 0
            for try await chunk in body {
                try Task.checkCancellation()
                try file.write(contentsOf: chunk)
                length += Int64(chunk.count)
                onProgress()
                if case .stream(let stream) = body, let expected = stream.length, length > expected { break }
            }
            return length
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    func discard() { if case .file(let url, isTemporary: true) = self { try? FileManager.default.removeItem(at: url) } }
}
