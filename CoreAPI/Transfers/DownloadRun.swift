internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// One run of a download: it opens the part, and ends with the complete file or a failure.
///
/// A round makes the necessary requests: one for the whole file, or one for the rest of each segment. If the bytes on the disk do
/// not belong to the server's file, a ``Restart`` ends the round, and the next round asks for the whole file.
final class DownloadRun: Sendable {
    let dispatcher: any Dispatcher
    private let file: URL
    let options: DownloadOptions
    let control: DownloadControl
    let limit: RateLimit?
    let state = Mutex(State())
    /// Held until a value has been reported, so that no older one follows: several parts report at once.
    let reports = ManualLock()

    struct State {
        var resource = ""
        var representation: Representation?
        var segments: [Segment] = []
        var head: ResponseHead?
        /// The call of the errors' contexts.
        var context: ErrorContext?
        /// The number that the call's channel allows.
        var attempts = 1
        /// The pause after a server has refused one of several requests; `nil` if the call has no time for it.
        var pause: Duration?
        /// `Content-Digest` of complete answers, with the number of their bytes.
        var answered: [(Range<Int64>, DigestField)] = []
        /// The number of bytes from an earlier run.
        var reused: Int64 = 0
        var isLoaded = false
        /// Whether the server answers ranges wrongly.
        var refusesRanges = false
        var restarts = 0
        /// The attempts that failed since the last progress, for a round that begins with the answer to the next one.
        var failed: [AttemptOutcome] = []
        var unsaved: Int64 = 0
        var saved = ContinuousClock.now
        var isSaving = false

        var completed: Int64 { segments.reduce(0) { $0 + $1.done - $1.start } }
    }

    /// The bytes on the disk are unusable.
    enum Restart: Error {
        /// An answer with all bytes has begun.
        case from(Response<Body>)
        case again(any Error)
    }

    init(_ dispatcher: any Dispatcher, to file: URL, _ options: DownloadOptions, _ control: DownloadControl) {
        self.dispatcher = dispatcher
        self.file = file
        self.options = options
        self.control = control
        limit = RateLimit(options.bytesPerSecond)
    }

    func outcome() async -> DownloadControl.Outcome {
        let part: PartFile
        do throws(DownloadError) {
            part = try PartFile(beside: file)
        } catch {
            return .failure(await failure(error))
        }
        do {
            load(part)
            let digests = try await fetch(part)
            return .success(try commit(part, digests))
        } catch {
            let failure = await failure(error)
            leave(part, after: failure)
            return .failure(failure)
        }
    }

    // MARK: - The bytes on the disk

    /// Takes over the bytes of an earlier download.
    private func load(_ part: PartFile) {
        // The disk keeps what it has until an answer begins: the server may fail instead.
        guard options.resumes, !options.beginsAnew, !options.decodes, control.endpoint.method == .get,
            let sidecar = part.readSidecar()
        else { return }
        var segments = sidecar.segments
        // A complete part requests its last byte again, because servers refuse a range after the end.
        if segments.allSatisfy(\.isWhole), let last = segments.lastIndex(where: { $0.done > $0.start }) {
            segments[last].done -= 1
        }
        state.withLock { state in
            (state.resource, state.representation, state.segments) = (sidecar.resource, sidecar.representation, segments)
            (state.isLoaded, state.reused) = (true, state.completed)
        }
        report()
    }

    /// Whether a later request can ask for the rest.
    var mayContinue: Bool { state.withLock { $0.representation }.map(mayContinue) ?? false }

    private func mayContinue(_ representation: Representation) -> Bool {
        representation.validator != nil && control.endpoint.method == .get && !options.decodes
            && !state.withLock { $0.refusesRanges }
    }

    /// Flushes the bytes and the state to the disk. After a failure only the progress since the last flush is lost.
    func save(_ part: PartFile) {
        guard options.resumes, mayContinue else { return }
        let sidecar = state.withLock { state -> Sidecar? in
            guard !state.isSaving, let representation = state.representation else { return nil }
            (state.isSaving, state.unsaved, state.saved) = (true, 0, .now)
            return Sidecar(resource: state.resource, representation: representation, segments: state.segments)
        }
        guard let sidecar else { return }
        try? part.save(sidecar)
        state.withLock { $0.isSaving = false }
    }

    /// Keeps the part and its sidecar if a later download can continue; else removes both.
    private func leave(_ part: PartFile, after failure: APIClientError) {
        let (hasBytes, hasBegun) = state.withLock { ($0.completed > 0, $0.representation != nil) }
        // No other answer has begun: the disk still has what the sidecar names.
        if !hasBegun, options.resumes, part.readSidecar() != nil { return part.close() }
        if options.resumes, hasBytes, mayContinue, !failure.isMismatch, (try? part.checkIsThere()) != nil {
            // A full disk may have taken a piece in part. Without it there is room for the sidecar.
            if failure.underlyingError is DownloadError { try? part.truncate(to: state.withLock { $0.segments.reach }) }
            save(part)
            // Bytes without a sidecar are of no use.
            if part.readSidecar() == nil { part.discard() } else { part.close() }
        } else {
            part.discard()
        }
    }

    private func discardBytes(_ part: PartFile) throws {
        // In this order: after a kill in between, a part without a sidecar would be taken for another program's file.
        try part.truncate(to: 0)
        part.removeSidecar()
    }

    private func commit(_ part: PartFile, _ digests: [ContentDigest]) throws -> DownloadedFile {
        let (length, head, reused) = state.withLock { ($0.completed, $0.head, $0.reused) }
        try part.commit(length: length)
        return DownloadedFile(
            url: file, head: head ?? ResponseHead(status: .ok), length: length, digests: digests, reused: reused)
    }

    // MARK: - Rounds

    private func fetch(_ part: PartFile) async throws -> [ContentDigest] {
        var first: Response<Body>?
        while true {
            let pauses = control.pauses
            do {
                try await control.waitWhilePaused()
                try await round(part, first)
                return try await verify(part)
            } catch let restart as Restart {
                first = try begin(after: restart)
            } catch {
                guard let count = control.pauses, count != pauses else { throw error }
                save(part)
                first = nil
            }
        }
    }

    /// Forgets the bytes. The disk keeps them until an answer with all bytes begins: the server may fail instead.
    private func begin(after restart: Restart) throws -> Response<Body>? {
        let mayRestart = state.withLock { state in
            (state.representation, state.segments, state.answered) = (nil, [], [])
            (state.reused, state.isLoaded) = (0, false)
            state.restarts += 1
            return state.restarts <= state.attempts
        }
        switch restart {
        case .from(let response):
            guard mayRestart else { throw changes(response) }
            return response
        case .again(let error):
            guard mayRestart else { throw error }
            return nil
        }
    }

    private func changes(_ response: Response<Body>) -> any Error {
        APIClientError.transport(
            .malformedResponse(reason: "expected the rest of the file, found another file or the whole file several times"),
            ErrorContext(response))
    }

    /// Makes the requests in a task that a pause can cancel.
    private func round(_ part: PartFile, _ first: Response<Body>?) async throws {
        let task = Task { try await self.requests(part, first) }
        control.setCut { [weak self] in
            if self?.mayContinue == true { task.cancel() }
        }
        defer { control.setCut(nil) }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func requests(_ part: PartFile, _ first: Response<Body>?) async throws {
        var first = first
        if state.withLock({ $0.representation == nil }) {
            let response = if let first { first } else { try await ask(for: nil).response }
            try adopt(response, part)
            first = response
        }
        let given = first
        let open = state.withLock { state in state.segments.indices.filter { !state.segments[$0].isWhole } }
        guard open.count > 1 else {
            if let index = open.first { try await fill(index, part, given) }
            return
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in open { group.addTask { try await self.fill(index, part, index == 0 ? given : nil) } }
                // The first failure cancels the other requests.
                while try await group.next() != nil {}
            }
        } catch let error as APIClientError where error.allowsFewerRequests {
            guard let pause = state.withLock({ $0.pause }) else { throw error }
            save(part)
            try await Task.sleep(for: pause)
            for index in open { try await fill(index, part, nil) }
        }
    }

    /// Begins a file, from the head of an answer with all bytes.
    private func adopt(_ response: Response<Body>, _ part: PartFile) throws {
        guard let head = response.head else { throw missingHead(response) }
        let length = try length(of: response, head)
        if let length { try check(size: length, response) }
        let isDecoded = try response.value.isDecoded
        if isDecoded, !options.decodes { response.warn(Self.decodedBody) }
        let representation = Representation(head, length: length, isDecoded: isDecoded)
        let count = parts(of: representation, head, response)
        try discardBytes(part)
        state.withLock { state in
            state.resource = resource(of: response)
            (state.representation, state.segments) = (representation, Segment.parts(count, of: length))
            state.refusesRanges = state.refusesRanges || head.rangeUnits == ["none"]
            (state.head, state.context) = (head, ErrorContext(response))
        }
        report()
        if options.resumes, mayContinue { save(part) } else { part.mark() }
    }

    private static let decodedBody =
        "the transport decodes the body: the file is not compared with the server's length and digests, and not continued later"

    /// The length of an answer with all bytes; `nil` if it is not known.
    private func length(of response: Response<Body>, _ head: ResponseHead) throws -> Int64? {
        guard try !response.value.isDecoded else { return nil }
        let announced = head.single(.contentLength).flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
        let found = try response.value.length
        if let announced, let found, announced != found {
            throw malformed("expected a body of \(announced) bytes by Content-Length, found \(found)", response)
        }
        return announced ?? found
    }

    /// The allowed number of concurrent requests.
    private func parts(of representation: Representation, _ head: ResponseHead, _ response: Response<Body>) -> Int {
        guard options.parts > 1, mayContinue(representation), let length = representation.length,
            head.rangeUnits.contains("bytes")
        else { return 1 }
        let limits = response.call.channel.limits
        let most = min(options.parts, DownloadOptions.mostParts, limits.connectionsPerHost, limits.connections)
        return max(1, min(most, Int(clamping: length / DownloadOptions.smallestPart)))
    }

    // MARK: - Checks

    /// Computes the digests of the bytes on the disk, and compares them.
    private func verify(_ part: PartFile) async throws -> [ContentDigest] {
        let (length, named, answered, isOneAnswer) = state.withLock { state in
            let named = state.representation?.digest.flatMap { DigestField($0) }
            return (state.completed, named, state.answered, !state.isLoaded && state.segments.count == 1)
        }
        let algorithms = options.computes.union(options.digests.map(\.algorithm)).union(named?.algorithms ?? [])
        let digests = try await Self.digests(part, 0..<length, algorithms)
        var mismatch = named?.mismatch(digests)
        for expected in options.digests where !digests.contains(expected) {
            let found = digests.first { $0.algorithm == expected.algorithm }?.description ?? "none"
            mismatch = mismatch ?? .digestMismatch(expected: expected.description, found: found)
        }
        for (range, field) in answered where mismatch == nil {
            let found = try await Self.digests(part, range, field.algorithms)
            mismatch = field.mismatch(found)
        }
        guard let mismatch else { return digests }
        // Bytes of several answers may be damaged or belong to several files. So the download begins again.
        let isLast = state.withLock { state in
            defer { state.isLoaded = false }
            return isOneAnswer || state.restarts > 0
        }
        let failure = await failure(mismatch)
        guard !isLast else { throw failure }
        try discardBytes(part)
        throw Restart.again(failure)
    }

    private static func digests(
        _ part: PartFile, _ range: Range<Int64>, _ algorithms: Set<ContentDigest.Algorithm>
    ) async throws -> [ContentDigest] {
        guard !algorithms.isEmpty else { return [] }
        var computer = DigestComputer(algorithms)
        try await part.read(range) { computer.update($0) }
        return computer.finish()
    }

    func check(size: Int64, _ response: Response<Body>) throws {
        guard let limit = options.sizeLimit, size > limit else { return }
        throw APIClientError.transport(.responseTooLarge(limit: Int(clamping: limit)), ErrorContext(response))
    }

    /// The sidecar's name for the bytes.
    func resource(of response: Response<Body>) -> String {
        let redaction = response.call.channel.redaction
        let name = options.identity ?? response.request.map { redaction.redact(url: $0.url) } ?? ""
        return SHA256.hash(name.utf8).hexadecimal
    }

    func missingHead(_ response: Response<Body>) -> any Error { malformed("no head", response) }

    func malformed(_ reason: String, _ response: Response<Body>) -> APIClientError {
        .transport(.malformedResponse(reason: reason), ErrorContext(response))
    }

    // MARK: - Errors

    private func failure(_ error: any Error) async -> APIClientError {
        if let context = state.withLock({ $0.context }) { return Self.failure(error, context) }
        let response = await dispatcher.response(for: control.endpoint.failing { Self.failure(error, $0) }, as: .nothing)
        return response.error ?? Self.failure(error, ErrorContext(response))
    }

    private static func failure(_ error: any Error, _ context: ErrorContext) -> APIClientError {
        switch error {
        case let error as DownloadError:
            if case .digestMismatch = error { return .verification(.custom(error), context) }
            return .unknown(error, context)
        case let restart as Restart:
            if case .again(let error) = restart { return failure(error, context) }
            return .unknown(restart, context)
        default: return APIClientError(error, context)
        }
    }
}

extension DownloadRun.State {
    /// Sets the length of a file that began without one.
    mutating func learn(_ length: Int64) {
        representation?.length = length
        if let last = segments.indices.last { segments[last].end = length }
    }
}

extension Segment {
    /// Parts of equal size; a single open segment if the length is unknown.
    fileprivate static func parts(_ count: Int, of length: Int64?) -> [Segment] {
        guard let length else { return [Segment(start: 0, end: nil, done: 0)] }
        let size = length / Int64(count)
        return (0..<Int64(count)).map { index in
            let start = index * size
            return Segment(start: start, end: index == Int64(count) - 1 ? length : start + size, done: start)
        }
    }
}

extension APIClientError {
    fileprivate var isMismatch: Bool {
        if case .verification(.custom(let error), _) = self { error is DownloadError } else { false }
    }

    /// Whether the server refused this request while it answered another one.
    var allowsFewerRequests: Bool {
        context.head.map { [429, 503].contains($0.status.code) } ?? false
    }
}
