internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// One run of a download: it opens the part, and ends with the complete file or a failure.
///
/// It makes the requests that its ``DownloadPlan`` wants, writes the bytes of the answers, and saves the plan beside them. A
/// round makes the necessary requests: one for the whole file, or one for the rest of each segment.
final class DownloadRun: Sendable {
    private let dispatcher: any Dispatcher
    private let file: URL
    private let options: DownloadOptions
    private let control: DownloadControl
    private let limit: RateLimit?
    private let state: Mutex<State>
    /// Held until a value has been reported, so that no older one follows: several parts report at once.
    private let reports = ManualLock()

    private struct State {
        var plan: DownloadPlan
        /// The call of the errors' contexts.
        var context: ErrorContext?
        /// The number of attempts that the call's channel allows.
        var attempts = 1
        /// The pause after a server has rejected one of several requests; `nil` if the call has no time for it.
        var pause: Duration?
        var unsaved: Int64 = 0
        var saved = ContinuousClock.now
        var isSaving = false
    }

    /// How a request or a round ended.
    private enum End {
        case complete
        /// The bytes on the disk are of no use. All bytes come with the response, or else with the next request.
        case restart(with: Response<Body>?, after: APIClientError)
    }

    init(_ dispatcher: any Dispatcher, to file: URL, _ options: DownloadOptions, _ control: DownloadControl) {
        self.dispatcher = dispatcher
        self.file = file
        self.options = options
        self.control = control
        limit = RateLimit(options.bytesPerSecond)
        state = Mutex(State(plan: DownloadPlan(options)))
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
            keepOrDiscard(part, after: failure)
            return .failure(failure)
        }
    }

    private var plan: DownloadPlan { state.withLock { $0.plan } }

    private func change<Value: Sendable>(_ change: (inout DownloadPlan) -> Value) -> Value {
        state.withLock { change(&$0.plan) }
    }

    /// Whether a later request can ask for the rest.
    private var mayContinue: Bool { control.endpoint.method == .get && plan.mayContinue }

    // MARK: - The bytes on the disk

    private func load(_ part: PartFile) {
        // The disk keeps what it has until a response begins: the server may fail instead.
        guard options.resumes, !options.beginsAnew, !options.decodes, control.endpoint.method == .get,
            let sidecar = part.readSidecar()
        else { return }
        change { $0.load(sidecar) }
        report()
    }

    /// Flushes the bytes and the state to the disk. After a failure only the progress since the last flush is lost.
    private func save(_ part: PartFile) {
        guard options.resumes, mayContinue else { return }
        let sidecar = state.withLock { state -> Sidecar? in
            guard !state.isSaving, let sidecar = state.plan.sidecar else { return nil }
            (state.isSaving, state.unsaved, state.saved) = (true, 0, .now)
            return sidecar
        }
        guard let sidecar else { return }
        try? part.save(sidecar)
        state.withLock { $0.isSaving = false }
    }

    /// Keeps the part and its sidecar if a later download can continue; else removes both.
    private func keepOrDiscard(_ part: PartFile, after failure: APIClientError) {
        let plan = plan
        // No other response has begun: the disk still has what the sidecar names.
        if plan.representation == nil, options.resumes, part.readSidecar() != nil { return part.close() }
        let isOfUse = options.resumes && plan.completed > 0 && mayContinue && !failure.isMismatch
        guard isOfUse, (try? part.checkIsThere()) != nil else { return part.discard() }
        // A full disk may have taken a piece in part. Without it there is room for the sidecar.
        if failure.underlyingError is DownloadError { try? part.truncate(to: plan.segments.reach) }
        save(part)
        // Bytes without a sidecar are of no use.
        if part.readSidecar() == nil { part.discard() } else { part.close() }
    }

    private func discardBytes(_ part: PartFile) throws {
        // In this order: after a kill in between, a part without a sidecar would be taken for another program's file.
        try part.truncate(to: 0)
        part.removeSidecar()
    }

    private func commit(_ part: PartFile, _ digests: [ContentDigest]) throws -> DownloadedFile {
        let plan = plan
        try part.commit(length: plan.completed)
        return DownloadedFile(
            url: file, head: plan.head ?? ResponseHead(status: .ok), length: plan.completed, digests: digests, reused: plan.reused
        )
    }

    // MARK: - Rounds

    private func fetch(_ part: PartFile) async throws -> [ContentDigest] {
        var given: Response<Body>?
        while true {
            let pauses = control.pauses
            do {
                try await control.waitWhilePaused()
                var end = try await round(part, given)
                given = nil
                if case .complete = end {
                    let (digests, mismatch) = try await verify(part)
                    guard let mismatch else { return digests }
                    end = .restart(with: nil, after: mismatch)
                }
                guard case .restart(let response, let failure) = end else { continue }
                guard state.withLock({ $0.plan.restart(atMost: $0.attempts) }) else { throw failure }
                given = response
            } catch {
                guard let count = control.pauses, count != pauses else { throw error }
                save(part)
                given = nil
            }
        }
    }

    /// Makes the requests in a task that a pause can cancel.
    private func round(_ part: PartFile, _ given: Response<Body>?) async throws -> End {
        let task = Task { try await self.requests(part, given) }
        control.setCut { [weak self] in
            if self?.mayContinue == true { task.cancel() }
        }
        defer { control.setCut(nil) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// - Parameter given: a response that has all bytes.
    private func requests(_ part: PartFile, _ given: Response<Body>?) async throws -> End {
        var given = given
        if plan.representation == nil {
            let response: Response<Body>
            if let given { response = given } else { response = try await askForAll() }
            try begin(response, part)
            given = response
        }
        let (open, response) = (plan.open, given)
        guard open.count > 1 else {
            return if let index = open.first { try await fill(index, part, response) } else { .complete }
        }
        do {
            return try await withThrowingTaskGroup(of: End.self) { group in
                for index in open { group.addTask { try await self.fill(index, part, index == 0 ? response : nil) } }
                // The first failure or restart cancels the other requests.
                while let end = try await group.next() {
                    guard case .restart = end else { continue }
                    group.cancelAll()
                    return end
                }
                return .complete
            }
        } catch let error as APIClientError where error.allowsFewerRequests {
            guard let pause = state.withLock({ $0.pause }) else { throw error }
            save(part)
            try await Task.sleep(for: pause)
            for index in open {
                let end = try await fill(index, part, nil)
                if case .restart = end { return end }
            }
            return .complete
        }
    }

    private func askForAll() async throws -> Response<Body> {
        let response = await ask(for: nil)
        if case .fail(let reason) = change({ $0.read(answer(response), for: nil) }) { throw error(reason, response) }
        return response
    }

    /// Begins a file, from the head of a response with all bytes.
    private func begin(_ response: Response<Body>, _ part: PartFile) throws {
        let answer = answer(response)
        let limits = response.call.channel.limits
        let isGET = control.endpoint.method == .get
        let parts = isGET ? min(options.parts, limits.connectionsPerHost, limits.connections) : 1
        var begun = plan
        if let reason = begun.begin(answer, parts: parts) { throw error(reason, response) }
        if answer.isDecoded, !options.decodes { response.warn(Self.decodedBody) }
        try discardBytes(part)
        state.withLock { ($0.plan, $0.context) = (begun, ErrorContext(response)) }
        report()
        if options.resumes, mayContinue { save(part) } else { part.mark() }
    }

    private static let decodedBody =
        "the transport decodes the body: the file is not compared with the server's length and digests, and not continued later"

    // MARK: - One segment

    /// Downloads a segment to its end, with at most as many requests as the channel allows attempts.
    ///
    /// - Parameter given: a response that has all bytes.
    private func fill(_ index: Int, _ part: PartFile, _ given: Response<Body>?) async throws -> End {
        var given = given
        var tries = Tries(plan, index)
        while case let segment = plan.segments[index], !segment.isComplete {
            let response: Response<Body>
            var end = plan.representation?.length
            if let given {
                response = given
            } else {
                response = await ask(for: index)
                let decision = change {
                    $0.read(answer(response), for: index, takesAnyAddress: control.takesAnyAddress)
                }
                switch decision {
                case .append(let last): end = last
                case .complete:
                    report()
                    return .complete
                case .begin: return .restart(with: response, after: error(Self.changes, response))
                case .askForAll(let reason): return .restart(with: nil, after: error(reason, response))
                case .fail(let reason): throw error(reason, response)
                }
            }
            given = nil
            do {
                try await write(response, upTo: end, into: index, part)
                tries.note(answered: plan.segments[index].done)
            } catch {
                let failure = APIClientError(error, ErrorContext(response))
                guard !Task.isCancelled, !control.isPaused, !(error is DownloadError) else { throw error }
                tries.note(failed: plan.segments[index].done)
                // In Response+RetryDelay.swift.
                let next = await response.retryDelay(afterBodyBrokeBy: failure, earlier: tries.failed)
                guard let (delay, failed) = next else { throw failure }
                tries.failed = failed
                change { $0.failed = failed }
                save(part)
                try await Task.sleep(for: delay)
                guard mayContinue else { return .restart(with: nil, after: failure) }
            }
            guard tries.mayTakeAnotherPart || plan.segments[index].isComplete else {
                let reason = "\(tries.parts) partial answers one after another, with less than 1 MiB together"
                throw self.error(.malformed(reason), response)
            }
        }
        return .complete
    }

    private static let changes = DownloadPlan.Reason.malformed(
        "expected the rest of the file, found another file or the whole file several times")

    /// Counts what a segment has tried. Each MiB of progress is a new beginning.
    private struct Tries {
        var failed: [AttemptOutcome]
        /// Answers in a row. A server may send less than the requested range (RFC 9110 §15.3.7), but not a byte at a time.
        private(set) var parts = 0
        private var (failedFrom, partsFrom): (Int64, Int64)

        init(_ plan: DownloadPlan, _ index: Int) {
            let done = plan.segments[index].done
            (failed, failedFrom, partsFrom) = (plan.failed, done, done)
        }

        mutating func note(failed done: Int64) {
            if done - failedFrom >= 1 << 20 { (failed, failedFrom) = ([], done) }
        }

        mutating func note(answered done: Int64) {
            if done - partsFrom >= 1 << 20 { (parts, partsFrom) = (0, done) }
            parts += 1
        }

        var mayTakeAnotherPart: Bool { parts < DownloadOptions.mostPartialAnswers }
    }

    /// Requests the rest of a segment, or all bytes.
    private func ask(for index: Int?) async -> Response<Body> {
        let fields = plan.fields(for: index)
        let response = await dispatcher.response(for: control.endpoint.attaching(fields.own), as: .stream)
        state.withLock { state in
            (state.context, state.attempts) = (ErrorContext(response), response.call.channel.limits.attempts)
            if response.error?.allowsFewerRequests == true { state.pause = Backoff().pause(after: 1, response) }
        }
        return response
    }

    private func answer(_ response: Response<Body>) -> DownloadPlan.Answer {
        var answer = DownloadPlan.Answer(head: response.head, resource: resource(of: response))
        switch response.result {
        case .success(let body): (answer.length, answer.isDecoded) = (body.length, body.isDecoded)
        case .failure(let error):
            answer.failure = if case .transport = error.untranslated { .transport } else { .other }
        }
        return answer
    }

    /// Writes a response's bytes, up to the segment's end.
    ///
    /// - Parameter end: the offset after the response's last byte; `nil` if it is not known.
    private func write(_ response: Response<Body>, upTo end: Int64?, into index: Int, _ part: PartFile) async throws {
        let segment = plan.segments[index]
        var offset = segment.done
        let stop = [segment.end, end].compactMap { $0 }.min()
        // Bytes after the segment stay unread. Any other response is read to its end, because the end may be an error.
        let leaves = segment.end != end && stop == segment.end
        for try await chunk in try response.value {
            if control.isPaused {
                guard !mayContinue else { throw CancellationError() }
                try await control.waitWhilePaused()
            }
            if let stop, !leaves, offset + Int64(chunk.count) > stop {
                throw error(.malformed("expected \(stop) bytes, found more"), response)
            }
            let piece = stop.map { chunk.prefix(Int(clamping: $0 - offset)) } ?? chunk
            offset += Int64(piece.count)
            if let reason = change({ $0.rejection(ofSize: offset) }) { throw error(reason, response) }
            try part.write(piece, at: offset - Int64(piece.count))
            note(index, offset, piece.count, part)
            try await limit?.wait(after: piece.count)
            if leaves, offset == stop { return }
        }
        try Task.checkCancellation()
        if let stop, offset < stop {
            let (received, expected) = (offset - segment.done, stop - segment.done)
            throw APIClientError.transport(.truncated(received: received, expected: expected), ErrorContext(response))
        }
        let digest = try contentDigest(of: response)
        change { plan in
            if stop == nil { plan.complete(index, at: offset) }
            if let digest { plan.keep(digest, of: segment.done..<offset) }
        }
        if stop == nil { report() }
    }

    /// `Content-Digest`, which belongs to the bytes on the wire (RFC 9530 §2).
    private func contentDigest(of response: Response<Body>) throws -> DigestField? {
        guard try !response.value.isDecoded else { return nil }
        return response.head?.lines("Content-Digest").flatMap { DigestField($0) }
    }

    private func note(_ index: Int, _ offset: Int64, _ count: Int, _ part: PartFile) {
        let isDue = state.withLock { state in
            state.plan.append(index, to: offset)
            state.unsaved += Int64(count)
            return state.unsaved >= options.saveInterval && state.saved.duration(to: .now) >= options.savePause
        }
        report()
        if isDue { save(part) }
    }

    private func report() {
        reports.lock()
        defer { reports.unlock() }
        control.report(
            change { plan in
                var progress = TransferProgress(completed: plan.completed, total: plan.representation?.length)
                (progress.reused, progress.restarts) = (plan.reused, plan.restarts)
                return progress
            })
    }

    // MARK: - The end

    /// Computes the digests of the bytes on the disk, and compares them.
    ///
    /// - Returns: the digests; a mismatch, if another download of all bytes may mend it.
    private func verify(_ part: PartFile) async throws -> ([ContentDigest], APIClientError?) {
        let plan = plan
        let named = plan.representation?.digest.flatMap { DigestField($0) }
        let algorithms = options.computes.union(options.digests.map(\.algorithm)).union(named?.algorithms ?? [])
        let digests = try await Self.digests(part, 0..<plan.completed, algorithms)
        var mismatch = named?.mismatch(digests)
        for expected in options.digests where !digests.contains(expected) {
            let found = digests.first { $0.algorithm == expected.algorithm }?.description ?? "none"
            mismatch = mismatch ?? .digestMismatch(expected: expected.description, found: found)
        }
        for (range, field) in plan.digests where mismatch == nil {
            let found = try await Self.digests(part, range, field.algorithms)
            mismatch = field.mismatch(found)
        }
        guard let mismatch else { return (digests, nil) }
        let failure = await failure(mismatch)
        guard plan.mayMendDigests else { throw failure }
        try discardBytes(part)
        return (digests, failure)
    }

    private static func digests(
        _ part: PartFile, _ range: Range<Int64>, _ algorithms: Set<ContentDigest.Algorithm>
    ) async throws -> [ContentDigest] {
        guard !algorithms.isEmpty else { return [] }
        var computer = DigestComputer(algorithms)
        try await part.read(range) { computer.update($0) }
        return computer.finish()
    }

    /// The sidecar's name for the bytes.
    private func resource(of response: Response<Body>) -> String {
        let redaction = response.call.channel.redaction
        let name = options.identity ?? response.request.map { redaction.redact(url: $0.url) } ?? ""
        return SHA256.hash(name.utf8).hexadecimal
    }

    // MARK: - Errors

    private func error(_ reason: DownloadPlan.Reason, _ response: Response<Body>) -> APIClientError {
        let context = ErrorContext(response)
        return switch reason {
        case .itsError: response.error ?? .transport(.malformedResponse(reason: "no error"), context)
        case .malformed(let reason): .transport(.malformedResponse(reason: reason), context)
        case .unexpectedStatus(let code): .verification(.unacceptableStatus(code, expected: "200 or 206"), context)
        case .tooLarge(let limit): .transport(.responseTooLarge(limit: Int(clamping: limit)), context)
        }
    }

    private func failure(_ error: any Error) async -> APIClientError {
        if let context = state.withLock({ $0.context }) { return Self.failure(error, context) }
        let response = await dispatcher.response(for: control.endpoint.failing { Self.failure(error, $0) }, as: .nothing)
        return response.error ?? Self.failure(error, ErrorContext(response))
    }

    private static func failure(_ error: any Error, _ context: ErrorContext) -> APIClientError {
        guard let error = error as? DownloadError else { return APIClientError(error, context) }
        if case .digestMismatch = error { return .verification(.custom(error), context) }
        return .unknown(error, context)
    }
}

extension APIClientError {
    fileprivate var isMismatch: Bool {
        if case .verification(.custom(let error), _) = self { error is DownloadError } else { false }
    }

    /// Whether the server rejected this request while it answered another one.
    fileprivate var allowsFewerRequests: Bool {
        context.head.map { [429, 503].contains($0.status.code) } ?? false
    }
}
