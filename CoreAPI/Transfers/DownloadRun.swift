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
    let dispatcher: any Dispatcher
    private let file: URL
    let options: DownloadOptions
    let control: DownloadControl
    let limit: RateLimit?
    let state: Mutex<State>
    /// Held until a value has been reported, so that no older one follows: several parts report at once.
    private let reports = ManualLock()

    struct State {
        var plan: DownloadPlan
        /// The call of the errors' contexts.
        var context: APIClientError.Context?
        /// The number of attempts that the call's channel allows.
        var attempts = 1
        /// The pause after a server has rejected one of several requests; `nil` if the call has no time for it.
        var pause: Duration?
        var unsaved: Int64 = 0
        var saved = ContinuousClock.now
        var isSaving = false
    }

    /// How a request or a round ended.
    enum End {
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

    var plan: DownloadPlan { state.withLock { $0.plan } }

    func change<Value: Sendable>(_ change: (inout DownloadPlan) -> Value) -> Value {
        state.withLock { change(&$0.plan) }
    }

    /// Whether a later request can ask for the rest.
    var mayContinue: Bool { control.endpoint.method == .get && plan.mayContinue }

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
    func save(_ part: PartFile) {
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
        if case .fail(let reason) = change({ $0.read(facts(of: response), for: nil) }) { throw error(reason, response) }
        return response
    }

    /// Begins a file, from the head of a response with all bytes.
    private func begin(_ response: Response<Body>, _ part: PartFile) throws {
        let facts = facts(of: response)
        let limits = response.call.channel.limits
        let isGET = control.endpoint.method == .get
        let parts = isGET ? min(options.parts, limits.connectionsPerHost, limits.connections) : 1
        var begun = plan
        if let reason = begun.begin(facts, parts: parts) { throw error(reason, response) }
        if facts.isDecoded, !options.decodes { response.warn(Self.decodedBody) }
        try discardBytes(part)
        state.withLock { ($0.plan, $0.context) = (begun, APIClientError.Context(response)) }
        report()
        if options.resumes, mayContinue { save(part) } else { part.mark() }
    }

    private static let decodedBody =
        "the transport decodes the body: the file is not compared with the server's length and digests, and not continued later"

    func note(_ index: Int, _ offset: Int64, _ count: Int, _ part: PartFile) {
        let isDue = state.withLock { state in
            state.plan.append(index, to: offset)
            state.unsaved += Int64(count)
            return state.unsaved >= options.saveInterval && state.saved.duration(to: .now) >= options.savePause
        }
        report()
        if isDue { save(part) }
    }

    func report() {
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
    func resource(of response: Response<Body>) -> String {
        let redaction = response.call.channel.redaction
        let name = options.identity ?? response.request.map { redaction.redact(url: $0.url) } ?? ""
        return SHA256.hash(name.utf8).hexadecimal
    }

    // MARK: - Errors

    func error(_ reason: DownloadPlan.Reason, _ response: Response<Body>) -> APIClientError {
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
        let response = await dispatcher.response(for: control.endpoint.failing { Self.failure(error, $0) }, as: .nothing)
        return response.error ?? Self.failure(error, APIClientError.Context(response))
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
    var allowsFewerRequests: Bool {
        context.head.map { [429, 503].contains($0.status.code) } ?? false
    }
}
