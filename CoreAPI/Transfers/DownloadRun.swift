internal import CoreAPIBase
internal import CoreAPICore
internal import CoreAPIHTTPSupport
internal import CoreAPIHash
internal import CoreAPILock
internal import Foundation
internal import HTTPTypes

/// One run of a download: it opens the part, and ends with the complete file or a failure.
///
/// A round makes the necessary requests: one for the whole file, or one for the rest of each segment. If the bytes on the disk do
/// not belong to the server's file, a ``Restart`` ends the round, and the next round begins without bytes.
final class DownloadRun: Sendable {
    private let dispatcher: any Dispatcher
    private let file: URL
    private let options: DownloadOptions
    private let control: DownloadControl
    private let limit: RateLimit?
    private let state = Mutex(State())
    /// Held until a value has been reported, so that no older one follows: several parts report at once.
    private let reports = ManualLock()

    fileprivate struct State {
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
        var unsaved: Int64 = 0
        var saved = ContinuousClock.now
        var isSaving = false

        var completed: Int64 { segments.reduce(0) { $0 + $1.done - $1.start } }
    }

    /// The bytes on the disk are unusable.
    private enum Restart: Error {
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
            try load(part)
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
    private func load(_ part: PartFile) throws {
        guard options.resumes, !options.decodes, control.endpoint.method == .get, let sidecar = part.readSidecar() else {
            part.removeSidecar()
            return try part.truncate(to: 0)
        }
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
    private var mayContinue: Bool { state.withLock { $0.representation }.map(mayContinue) ?? false }

    private func mayContinue(_ representation: Representation) -> Bool {
        representation.validator != nil && control.endpoint.method == .get && !options.decodes
            && !state.withLock { $0.refusesRanges }
    }

    /// Flushes the bytes and the state to the disk. After a failure only the progress since the last flush is lost.
    private func save(_ part: PartFile) {
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
        let hasBytes = state.withLock { $0.completed > 0 }
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

    private func reset(_ part: PartFile) throws {
        state.withLock { state in
            (state.representation, state.segments, state.answered) = (nil, [], [])
            (state.reused, state.isLoaded) = (0, false)
        }
        part.removeSidecar()
        try part.truncate(to: 0)
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
                first = try await begin(part, after: restart)
            } catch {
                guard let count = control.pauses, count != pauses else { throw error }
                save(part)
                first = nil
            }
        }
    }

    private func begin(_ part: PartFile, after restart: Restart) async throws -> Response<Body>? {
        let mayRestart = state.withLock { state in
            state.restarts += 1
            return state.restarts <= state.attempts
        }
        try reset(part)
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
        try part.truncate(to: 0)
        state.withLock { state in
            state.resource = resource(of: response)
            (state.representation, state.segments) = (representation, Segment.parts(count, of: length))
            state.refusesRanges = state.refusesRanges || head.rangeUnits == ["none"]
            (state.head, state.context) = (head, ErrorContext(response))
        }
        report()
        if options.resumes, mayContinue { save(part) } else { part.removeSidecar() }
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

    // MARK: - Requests

    /// Downloads a segment to its end, with at most as many requests as the channel allows attempts.
    private func fill(_ index: Int, _ part: PartFile, _ first: Response<Body>?) async throws {
        var first = first
        var (outcomes, counted): ([AttemptOutcome], Int64) = ([], state.withLock { $0.segments[index].done })
        var (parts, countedParts) = (0, counted)
        while case let segment = state.withLock({ $0.segments[index] }), !segment.isWhole {
            let answer =
                if let first { (response: first, end: state.withLock { $0.representation?.length }) } else {
                    try await ask(for: segment)
                }
            first = nil
            // The whole file was on the disk already.
            if answer.response.error != nil { return complete(index, at: segment.done) }
            do {
                try await write(answer, into: index, part)
                // A server may send less than the requested range (RFC 9110 §15.3.7), but not a byte at a time.
                let done = state.withLock { $0.segments[index].done }
                if done - countedParts >= 1 << 20 { (parts, countedParts) = (0, done) }
                parts += 1
            } catch {
                let failure = APIClientError(error, ErrorContext(answer.response))
                guard !Task.isCancelled, !control.isPaused, !(error is DownloadError) else { throw error }
                let done = state.withLock { $0.segments[index].done }
                if done - counted >= 1 << 20 { (outcomes, counted) = ([], done) }
                // In Response+RetryDelay.swift.
                let next = await answer.response.retryDelay(afterBodyBrokeBy: failure, earlier: outcomes)
                guard let next else { throw failure }
                outcomes = next.1
                save(part)
                try await Task.sleep(for: next.0)
                guard mayContinue else { throw Restart.again(failure) }
            }
            guard parts < DownloadOptions.mostPartialAnswers || state.withLock({ $0.segments[index].isWhole }) else {
                throw malformed("\(parts) partial answers one after another, with less than 1 MiB together", answer.response)
            }
        }
    }

    /// Requests the whole file, or the rest of a segment.
    ///
    /// - Returns: the answer, and the offset after its last byte. With a failed answer the segment has no rest.
    private func ask(for segment: Segment?) async throws -> (response: Response<Body>, end: Int64?) {
        var fields: Headers = options.decodes ? [:] : ["Accept-Encoding": "identity"]
        let representation = state.withLock { $0.representation }
        if let segment, let validator = representation?.validator {
            let last = segment.end.flatMap { $0 == representation?.length ? nil : "\($0 - 1)" } ?? ""
            fields["Range"] = "bytes=\(segment.done)-\(last)"
            fields["If-Range"] = validator.text
        }
        let response = await dispatcher.response(for: control.endpoint.attaching(fields.own), as: .stream)
        state.withLock { state in
            (state.context, state.attempts) = (ErrorContext(response), response.call.channel.limits.attempts)
        }
        if let error = response.error {
            if error.allowsFewerRequests { state.withLock { $0.pause = Backoff().pause(after: 1, response) } }
            return (try refusal(response, error, segment), nil)
        }
        return (response, try end(of: response, segment))
    }

    /// Decides what a failed request means.
    ///
    /// - Returns: the response if the segment is already complete.
    private func refusal(
        _ response: Response<Body>, _ error: APIClientError, _ segment: Segment?
    ) throws -> Response<Body> {
        guard let segment, let head = response.head else { throw error }
        switch head.status.code {
        // The transport refused the answer, because it has another part than the requested one. A verifier may refuse it, too.
        case 206:
            guard case .transport = error.untranslated else { throw error }
            state.withLock { $0.refusesRanges = true }
            throw Restart.again(error)
        case 416:
            let (total, known) = (head.contentRange?.total, state.withLock { $0.representation })
            if total == segment.done, segment.end == nil, known?.mayBeContinued(by: head, total: total) == true {
                state.withLock { $0.head = head }
                return response
            }
            // The file has this range, unless it has another length now.
            if let length = known?.length, total ?? length == length { state.withLock { $0.refusesRanges = true } }
            throw Restart.again(error)
        default: throw error
        }
    }

    /// Checks that an answer fits the request.
    ///
    /// - Returns: the offset after its last byte; `nil` if it is not known.
    private func end(of response: Response<Body>, _ segment: Segment?) throws -> Int64? {
        guard let head = response.head else { throw missingHead(response) }
        let body = try response.value
        if options.decodes, let coding = head.coding {
            throw malformed("expected a content coding that the transport decodes, found \(coding.shortened(to: 40))", response)
        }
        switch (head.status.code, segment) {
        case (200, nil), (203, nil): return body.length
        case (200, _?), (203, _?):
            let known = state.withLock { $0.representation }
            guard known?.isContradicted(by: head, length: body.length) == true else { throw Restart.from(response) }
            state.withLock { $0.refusesRanges = true }
            throw Restart.again(malformed("expected a 206, or 200 with the whole file, found a 200 with other bytes", response))
        case (206, let segment?): return try end(ofPart: response, head, body, segment)
        case (206, nil): throw malformed("expected 200 without Range, found 206 (RFC 9110 §15.3.7)", response)
        default:
            throw APIClientError.verification(
                .unacceptableStatus(head.status.code, expected: "200 or 206"), ErrorContext(response))
        }
    }

    private func end(
        ofPart response: Response<Body>, _ head: ResponseHead, _ body: Body, _ segment: Segment
    ) throws -> Int64 {
        guard !body.isDecoded else {
            state.withLock { $0.refusesRanges = true }
            throw Restart.again(malformed("expected the stored bytes from \(segment.done), found decoded ones", response))
        }
        guard let range = head.contentRange, let bytes = range.bytes, bytes.lowerBound == segment.done,
            bytes.upperBound <= segment.end ?? .max, head.mediaType?.essence != "multipart/byteranges",
            body.length.map({ $0 == Int64(bytes.count) }) ?? true
        else {
            state.withLock { $0.refusesRanges = true }
            throw Restart.again(malformed("expected the bytes from \(segment.done), found another part", response))
        }
        let isOurs = state.withLock { state in
            let isSame = !state.isLoaded || control.takesAnyAddress || state.resource == resource(of: response)
            guard isSame, let known = state.representation, known.isCoded(as: head) else { return false }
            return known.mayBeContinued(by: head, total: range.total)
        }
        guard isOurs else {
            // Ranges of a server that does not repeat the validator can never be checked.
            state.withLock { state in
                if state.representation?.isNamed(by: head) == false { state.refusesRanges = true }
            }
            throw Restart.again(malformed("expected the rest of the file, found another file", response))
        }
        state.withLock { state in
            state.head = head
            state.resource = resource(of: response)
            if state.representation?.digest == nil { state.representation?.digest = head.namedDigest }
            if state.representation?.length == nil, let total = range.total { state.learn(total) }
        }
        return bytes.upperBound
    }

    /// Writes an answer's bytes, up to the segment's end.
    private func write(_ answer: (response: Response<Body>, end: Int64?), into index: Int, _ part: PartFile) async throws {
        let segment = state.withLock { $0.segments[index] }
        var offset = segment.done
        let stop = [segment.end, answer.end].compactMap { $0 }.min()
        // Bytes after the segment stay unread. Any other answer is read to its end, because the end may be an error.
        let leaves = segment.end != answer.end && stop == segment.end
        for try await chunk in try answer.response.value {
            if control.isPaused {
                guard !mayContinue else { throw CancellationError() }
                try await control.waitWhilePaused()
            }
            if let stop, !leaves, offset + Int64(chunk.count) > stop {
                throw malformed("expected \(stop) bytes, found more", answer.response)
            }
            let piece = stop.map { chunk.prefix(Int(clamping: $0 - offset)) } ?? chunk
            try check(size: offset + Int64(piece.count), answer.response)
            try part.write(piece, at: offset)
            offset += Int64(piece.count)
            note(index, offset, piece.count, part)
            try await limit?.wait(after: piece.count)
            if leaves, offset == stop { return }
        }
        try Task.checkCancellation()
        if let stop, offset < stop {
            throw APIClientError.transport(
                .truncated(received: offset - segment.done, expected: stop - segment.done), ErrorContext(answer.response))
        }
        if stop == nil { complete(index, at: offset) }
        guard let digest = try contentDigest(of: answer.response) else { return }
        state.withLock { $0.answered.append((segment.done..<offset, digest)) }
    }

    /// `Content-Digest`, which belongs to the bytes on the wire (RFC 9530 §2).
    private func contentDigest(of response: Response<Body>) throws -> DigestField? {
        guard try !response.value.isDecoded else { return nil }
        return response.head?.lines("Content-Digest").flatMap { DigestField($0) }
    }

    private func note(_ index: Int, _ offset: Int64, _ count: Int, _ part: PartFile) {
        let isDue = state.withLock { state in
            state.segments[index].done = offset
            state.unsaved += Int64(count)
            return state.unsaved >= options.saveInterval && state.saved.duration(to: .now) >= options.savePause
        }
        report()
        if isDue { save(part) }
    }

    /// Takes the length of a file whose length is known only at the end.
    private func complete(_ index: Int, at end: Int64) {
        state.withLock { state in
            state.segments[index].done = end
            state.learn(end)
        }
        report()
    }

    private func report() {
        reports.lock()
        defer { reports.unlock() }
        control.report(
            state.withLock { state in
                var progress = TransferProgress(completed: state.completed, total: state.representation?.length)
                progress.reused = state.reused
                return progress
            })
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
        throw isLast ? failure : Restart.again(failure)
    }

    private static func digests(
        _ part: PartFile, _ range: Range<Int64>, _ algorithms: Set<ContentDigest.Algorithm>
    ) async throws -> [ContentDigest] {
        guard !algorithms.isEmpty else { return [] }
        var computer = DigestComputer(algorithms)
        try await part.read(range) { computer.update($0) }
        return computer.finish()
    }

    private func check(size: Int64, _ response: Response<Body>) throws {
        guard let limit = options.sizeLimit, size > limit else { return }
        throw APIClientError.transport(.responseTooLarge(limit: Int(clamping: limit)), ErrorContext(response))
    }

    /// The sidecar's name for the bytes.
    private func resource(of response: Response<Body>) -> String {
        let redaction = response.call.channel.redaction
        let name = options.identity ?? response.request.map { redaction.redact(url: $0.url) } ?? ""
        return SHA256.hash(name.utf8).hexadecimal
    }

    private func missingHead(_ response: Response<Body>) -> any Error { malformed("no head", response) }

    private func malformed(_ reason: String, _ response: Response<Body>) -> APIClientError {
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
    fileprivate mutating func learn(_ length: Int64) {
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
    fileprivate var allowsFewerRequests: Bool {
        context.head.map { [429, 503].contains($0.status.code) } ?? false
    }
}
