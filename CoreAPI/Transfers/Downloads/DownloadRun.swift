internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPIRedaction
internal import Foundation
internal import HTTPTypes

/// One run of a download: it opens the part, and ends with the complete file or a failure.
///
/// It makes the requests that its ``DownloadPlan`` wants, writes the bytes of the responses, and saves the plan beside them. A
/// round makes the necessary requests: one for the whole file, or one for the rest of each segment.
final class DownloadRun: Sendable {
    private let dispatcher: any Dispatcher
    private let file: URL
    private let options: DownloadOptions
    private let control: DownloadControl
    private let limit: RateLimit?
    private let state: Mutex<State>

    private struct State {
        var plan: DownloadPlan
        /// The call of the errors' contexts.
        var context: APIClientError.Context?
        /// As many as the call's channel allows.
        var attempts = 1
        /// The pause after a server has rejected one of several requests; `nil` if the call has no time for it.
        var pause: Duration?
        var unsaved: Int64 = 0
        var saved = ContinuousClock.now
        var isSaving = false
    }

    private enum RoundEnd {
        case complete([ContentDigest])
        case paused
        /// The bytes on the disk are of no use. All bytes come with the response, or else with the next request.
        case restart(Response<Body>?, because: APIClientError)
    }

    init(_ dispatcher: any Dispatcher, to file: URL, _ options: DownloadOptions, _ control: DownloadControl) {
        (self.dispatcher, self.file, self.options, self.control) = (dispatcher, file, options, control)
        // After a pause at most a tenth of a second is caught up.
        limit = options.bytesPerSecond.map { RateLimit($0, catchingUp: .milliseconds(100)) }
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
            let plan = plan
            try part.commit(length: plan.completed)
            let head = plan.head ?? ResponseHead(status: .ok)
            return .success(DownloadedFile(url: file, head: head, length: plan.completed, digests: digests, reused: plan.reused))
        } catch {
            let failure = await failure(error)
            keepOrDiscard(part, after: failure)
            return .failure(failure)
        }
    }

    private var plan: DownloadPlan { state.withLock { $0.plan } }
    private func change<Value: Sendable>(_ change: (inout DownloadPlan) -> Value) -> Value { state.withLock { change(&$0.plan) } }

    /// Whether a later request can ask for the rest.
    private var mayContinue: Bool { control.endpoint.method == .get && plan.mayContinue }

    private func report() { control.meter.change { $0 = plan.progress } }

    private func load(_ part: PartFile) {
        // The disk keeps what it has until a response begins: the server may fail instead.
        guard options.resumes, !options.beginsAnew, !options.decodes, control.endpoint.method == .get,
            let sidecar = part.readSidecar()
        else { return }
        change { $0.load(sidecar) }
        report()
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

    private func fetch(_ part: PartFile) async throws -> [ContentDigest] {
        var given: Response<Body>?
        while true {
            switch try await round(part, given) {
            case .complete(let digests): return digests
            case .paused:
                save(part)
                given = nil
            case .restart(let response, let failure):
                guard state.withLock({ $0.plan.restart(atMost: $0.attempts) }) else { throw failure }
                given = response
            }
        }
    }

    private func round(_ part: PartFile, _ given: Response<Body>?) async throws -> RoundEnd {
        let pauses = control.pauses
        do {
            try await control.waitWhilePaused()
            if let end = try await pausableRequests(part, given) { return end }
            return try await verify(part)
        } catch {
            // A pause has cancelled the requests, or one has failed during it.
            guard !Task.isCancelled, control.pauses != pauses else { throw error }
            return .paused
        }
    }

    /// Makes the requests in a task that a pause can cancel.
    private func pausableRequests(_ part: PartFile, _ given: Response<Body>?) async throws -> RoundEnd? {
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

    /// Requests the missing bytes. Returns how the round ended; `nil` if the disk has all bytes.
    private func requests(_ part: PartFile, _ given: Response<Body>?) async throws -> RoundEnd? {
        var response = given
        if plan.representation == nil {
            let whole = if let given { given } else { try await askForAll() }
            try begin(whole, part)
            response = whole
        }
        // Taken once: a part that begins late must not inherit the failures of the others.
        let (open, first, failed) = (plan.open, response, plan.failed)
        guard open.count > 1 else { return if let index = open.first { try await fill(index, part, first, failed) } else { nil } }
        do {
            return try await withThrowingTaskGroup(of: RoundEnd?.self) { group in
                for index in open { group.addTask { try await self.fill(index, part, index == 0 ? first : nil, failed) } }
                // The first failure or end cancels the other requests.
                for try await case let end? in group {
                    group.cancelAll()
                    return end
                }
                return nil
            }
        } catch let error as APIClientError where error.allowsFewerRequests {
            guard let pause = state.withLock({ $0.pause }) else { throw error }
            save(part)
            try await Task.sleep(for: pause)
            for index in open { if let end = try await fill(index, part, nil, failed) { return end } }
            return nil
        }
    }

    private func askForAll() async throws -> Response<Body> {
        let response = await ask(for: nil)
        if case .fail(let reason) = change({ $0.read(facts(of: response), for: nil) }) { throw error(reason, response) }
        return response
    }

    /// Begins a file, from the head of a response with all bytes.
    private func begin(_ response: Response<Body>, _ part: PartFile) throws {
        let (facts, limits) = (facts(of: response), response.call.channel.limits)
        let parts = control.endpoint.method == .get ? min(options.parts, limits.connectionsPerHost, limits.connections) : 1
        var begun = plan
        if let reason = begun.begin(facts, parts: parts) { throw error(reason, response) }
        if facts.isDecoded, !options.decodes {
            response.warn(
                "the transport decodes the body: "
                    + "the file is not compared with the server's length and digests, and not continued later")
        }
        try discardBytes(part)
        state.withLock { ($0.plan, $0.context) = (begun, APIClientError.Context(response)) }
        report()
        if options.resumes, mayContinue { save(part) } else { part.mark() }
    }

    /// Downloads a segment to its end, with at most as many requests as the channel allows attempts. `given` has all bytes,
    /// and `failed` the attempts before the round.
    private func fill(
        _ index: Int, _ part: PartFile, _ given: Response<Body>?, _ failed: [Attempt.Outcome]
    ) async throws -> RoundEnd? {
        var (given, tries) = (given, Tries(failed, plan.segments[index].done))
        while case let segment = plan.segments[index], !segment.isComplete {
            let response = if let given { given } else { await ask(for: index) }
            var end = plan.representation?.length
            if given == nil {
                switch change({ $0.read(facts(of: response), for: index, takesAnyAddress: control.takesAnyAddress) }) {
                case .append(let last): end = last
                case .complete:
                    report()
                    return nil
                case .begin:
                    let reason = "expected the rest of the file, found another file or the whole file several times"
                    return .restart(response, because: error(.malformed(reason), response))
                case .askForAll(let reason): return .restart(nil, because: error(reason, response))
                case .fail(let reason): throw error(reason, response)
                }
            }
            given = nil
            do {
                guard try await write(response, upTo: end, into: index, part) else { return .paused }
                tries.note(plan.segments[index].done)
                tries.parts += 1
            } catch {
                let failure = APIClientError(error, APIClientError.Context(response))
                guard !Task.isCancelled, !control.isPaused, !(error is DownloadError) else { throw error }
                tries.note(plan.segments[index].done)
                let next = await response.retryDelay(afterBodyBrokeBy: failure, earlier: tries.failed)
                guard let (delay, failed) = next else { throw failure }
                tries.failed = failed
                change { $0.failed = failed }
                save(part)
                try await Task.sleep(for: delay)
                guard mayContinue else { return .restart(nil, because: failure) }
            }
            guard tries.parts < DownloadOptions.mostPartialResponses || plan.segments[index].isComplete else {
                let reason = "\(tries.parts) partial responses one after another, with less than 1 MiB together"
                throw self.error(.malformed(reason), response)
            }
        }
        return nil
    }

    /// Counts what a segment has tried. Each MiB of progress is a new beginning.
    private struct Tries {
        var failed: [Attempt.Outcome]
        /// Responses in a row. A server may send less than the requested range (RFC 9110 §15.3.7), but not a byte at a time.
        var parts = 0
        private var start: Int64

        init(_ failed: [Attempt.Outcome], _ start: Int64) { (self.failed, self.start) = (failed, start) }

        mutating func note(_ done: Int64) { if done - start >= 1 << 20 { (failed, parts, start) = ([], 0, done) } }
    }

    private func ask(for index: Int?) async -> Response<Body> {
        let response = await dispatcher.response(for: control.endpoint.attaching(plan.fields(for: index).own), as: .stream)
        state.withLock { state in
            (state.context, state.attempts) = (APIClientError.Context(response), response.call.channel.limits.attempts)
            if response.error?.allowsFewerRequests == true { state.pause = Backoff().pause(after: 1, response) }
        }
        return response
    }

    private func facts(of response: Response<Body>) -> DownloadPlan.Facts {
        let name = options.identity ?? response.request.map { response.call.channel.redaction.redact(url: $0.url) } ?? ""
        var facts = DownloadPlan.Facts(head: response.head, resource: SHA256.hash(name.utf8).hexadecimal)
        switch response.result {
        case .success(let body): (facts.length, facts.isDecoded) = (body.length, body.isDecoded)
        case .failure(let error): facts.failure = if case .transport = error.untranslated { .transport } else { .other }
        }
        return facts
    }

    /// Writes a response's bytes, up to the segment's end. `end` is the offset after the response's last byte, if it is known.
    /// Returns `false` if a pause comes first, and the rest can be requested later.
    private func write(_ response: Response<Body>, upTo end: Int64?, into index: Int, _ part: PartFile) async throws -> Bool {
        let (segment, body) = (plan.segments[index], try response.value)
        var offset = segment.done
        let stop = [segment.end, end].compactMap { $0 }.min()
        // Bytes after the segment stay unread. Any other response is read to its end, because the end may be an error.
        let leaves = segment.end != end && stop == segment.end
        for try await chunk in body {
            if control.isPaused {
                guard !mayContinue else { return false }
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
            try await limit?.wait(for: piece.count)
            if leaves, offset == stop { return true }
        }
        try Task.checkCancellation()
        if let stop, offset < stop {
            let (received, expected) = (offset - segment.done, stop - segment.done)
            throw APIClientError.transport(.truncated(received: received, expected: expected), APIClientError.Context(response))
        }
        // It belongs to the bytes on the wire (RFC 9530 §2).
        let digest = body.isDecoded ? nil : response.head?.lines("Content-Digest").flatMap { DigestField($0) }
        change { plan in
            if stop == nil { plan.complete(index, at: offset) }
            if let digest { plan.digests.append((segment.done..<offset, digest)) }
        }
        if stop == nil { report() }
        return true
    }

    /// Computes and compares the digests of the bytes on the disk. A mismatch is a restart if that may mend it.
    private func verify(_ part: PartFile) async throws -> RoundEnd {
        let plan = plan
        let named = plan.representation?.digest.flatMap { DigestField($0) }
        let algorithms = options.computes.union(options.digests.map(\.algorithm)).union(named?.algorithms ?? [])
        let digests = try await part.digests(algorithms, of: 0..<plan.completed)
        var mismatch = named?.mismatch(digests)
        for expected in options.digests where !digests.contains(expected) {
            let found = digests.first { $0.algorithm == expected.algorithm }?.description ?? "none"
            mismatch = mismatch ?? .digestMismatch(expected: expected.description, found: found)
        }
        for (range, field) in plan.digests where mismatch == nil {
            mismatch = field.mismatch(try await part.digests(field.algorithms, of: range))
        }
        guard let mismatch else { return .complete(digests) }
        let failure = await failure(mismatch)
        guard plan.mayMendDigests else { throw failure }
        try discardBytes(part)
        return .restart(nil, because: failure)
    }

    private func error(_ reason: DownloadPlan.Reason, _ response: Response<Body>) -> APIClientError {
        let context = APIClientError.Context(response)
        return switch reason {
        case .itsError: response.error ?? .transport(.malformedResponse(reason: "no error"), context)
        case .malformed(let reason): .transport(.malformedResponse(reason: reason), context)
        case .unexpectedStatus(let code): .verification(.unacceptableStatus(code, expected: "200 or 206"), context)
        case .tooLarge(let limit): .transport(.responseTooLarge(limit: Int(clamping: limit)), context)
        }
    }

    private func failure(_ error: any Error) async -> APIClientError {
        if let context = state.withLock({ $0.context }) { return Self.failure(error, context) }
        return await dispatcher.reject(control.endpoint) { Self.failure(error, $0) }.error
    }

    private static func failure(_ error: any Error, _ context: APIClientError.Context) -> APIClientError {
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
    fileprivate var allowsFewerRequests: Bool { context.head.map { [429, 503].contains($0.status.code) } ?? false }
}
