internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// One resumable upload, from its creation or a stored state to its last response.
///
/// Each turn sends bytes from the server's offset on. After a failure the next turn first asks for the offset.
struct ResumableRun<Value: Sendable> {
    /// The response of the request that ends the upload without success.
    private struct Failed: Error {
        let response: Response<Value>
        /// Whether the server has answered in the right form, but has taken no byte.
        var isStandstill = false

        init<Other>(_ response: Response<Other>, _ error: APIClientError) {
            self.response = response.with(.failure(error))
        }

        init<Other>(_ response: Response<Other>, _ error: TransportError) {
            self.init(response, .transport(error, APIClientError.Context(response)))
        }
    }

    let dispatcher: any Dispatcher
    let endpoint: any Endpoint
    let decoding: ResponseDecoding<Value>
    let plan: ResumableUpload
    private(set) var source: UploadSource
    let meter: UploadMeter

    private var dialect: UploadDialect { UploadDialect(plan.state?.dialect ?? plan.dialect) }
    private var isTus: Bool { dialect.dialect == .tus }

    init(
        dispatcher: any Dispatcher, endpoint: any Endpoint, decoding: ResponseDecoding<Value>, plan: ResumableUpload,
        source: UploadSource, meter: UploadMeter
    ) {
        self.dispatcher = dispatcher
        self.endpoint = endpoint
        self.decoding = decoding
        self.plan = plan
        self.source = source
        self.meter = meter
    }

    func run() async -> Response<Value> {
        var run = self
        do throws(Failed) {
            return try await run.turns()
        } catch {
            return error.response
        }
    }

    private mutating func turns() async throws(Failed) -> Response<Value> {
        if plan.checksum != nil, !isTus {
            throw await reject(TransportError.unsupported(capability: "a checksum of each piece in the IETF's draft"))
        }
        var state = plan.state
        var failures = 0
        /// How often the upload was created after the server had forgotten it.
        var renewals = 0
        var mustAsk = state != nil
        /// The offset after the last byte given to the transport.
        var sent: Int64 = .max
        while true {
            let before = state?.offset
            let failed: Failed
            do throws(Failed) {
                if let known = state, mustAsk {
                    let (found, response) = try await ask(known, sent: sent)
                    state = found
                    mustAsk = false
                    if let response { return try await end(response, found) }
                }
                if let known = state {
                    let (found, response) = try await append(known, &sent)
                    if let response { return response }
                    state = found
                } else {
                    let (made, response) = try await create()
                    (state, sent) = (made, 0)
                    if let response { return try await end(response, made) }
                }
                failures = 0
                continue
            } catch {
                failed = error
            }
            if state?.offset != before { failures = 0 }
            failures += 1
            let continuation = failed.isStandstill ? .fromOffset : failed.response.continuation(plan, hasState: state != nil)
            guard failures < max(1, plan.attempts), let next = continuation else { throw failed }
            if next == .anew {
                // A creation is progress, but not if each is forgotten.
                renewals += 1
                guard renewals < max(1, plan.attempts) else { throw failed }
                await plan.store(nil)
                state = nil
            }
            mustAsk = state != nil
            try await pause(after: failed, failures)
        }
    }

    private func pause(after failed: Failed, _ failures: Int) async throws(Failed) {
        guard let pause = Backoff(base: plan.pause).pause(after: failures, failed.response) else { throw failed }
        do {
            try await Task.sleep(for: pause)
        } catch {
            let context = failed.response.error?.context
            throw context.map { Failed(failed.response, .cancelled($0)) } ?? failed
        }
    }

    // MARK: - The requests

    private mutating func create() async throws(Failed) -> (ResumableUpload.State, Response<Void>?) {
        let source: String
        do {
            source = try await self.source.begin()
        } catch {
            throw await reject(ofSource: error)
        }
        let length = self.source.length
        meter.change { $0 = TransferProgress(total: length) }
        if let reason = plan.metadataDefect {
            throw await reject(RequestError.malformedHeader(name: "Upload-Metadata", reason: reason))
        }
        let step = UploadStep(endpoint, fields: dialect.creation(length: length, metadata: plan.metadata))
        let response = await dispatcher.response(for: step, as: .nothing)
        let answer = try read(response)
        guard let location = answer.location, !location.isEmpty else {
            throw Failed(response, .malformedResponse(reason: "expected a Location for the upload, found no such field"))
        }
        let url = try address(location, response)
        let state = ResumableUpload.State(
            url: url, dialect: dialect.dialect, offset: 0, length: length, source: source, sent: self.source.sent,
            expires: answer.expires, limit: answer.limit)
        await plan.store(state)
        // In tus an upload without bytes is complete when it is created.
        return (state, isTus && length == 0 ? response : nil)
    }

    /// - Parameter sent: the largest valid offset.
    /// - Returns: the state with the server's offset, and the response if the server has all bytes.
    private mutating func ask(
        _ state: ResumableUpload.State, sent: Int64
    ) async throws(Failed) -> (ResumableUpload.State, Response<Void>?) {
        if source.isNew {
            do {
                let found = try await source.begin()
                if found != state.source {
                    throw UploadSourceChanged(reason: "expected the source '\(state.source)', found '\(found)'")
                }
            } catch {
                throw await reject(ofSource: error)
            }
        }
        let response = await dispatcher.response(
            for: UploadStep(endpoint, .head, at: state.url, fields: dialect.common), as: .nothing)
        let answer = try read(response)
        guard let offset = answer.offset else {
            throw Failed(response, .malformedResponse(reason: "the response has no Upload-Offset"))
        }
        if let length = state.length, let found = answer.length, found != length {
            let reason = "expected Upload-Length \(length), found \(found)"
            throw Failed(response, .malformedResponse(reason: reason))
        }
        var found = state
        found.expires = answer.expires ?? state.expires
        // This run has sent nothing yet. Of a sequence the state names all bytes that the server can have.
        let isFirst = sent == .max
        try move(&found, to: offset, atMost: isFirst ? state.sent?.count ?? .max : sent, response)
        if isFirst { meter.change { $0.reused = offset } }
        do {
            try await source.skip(state.sent, to: offset)
        } catch {
            throw await reject(ofSource: error)
        }
        let isComplete = isTus ? offset == state.length : answer.isComplete == true
        if isComplete, let length = state.length, offset != length {
            let reason = "the upload is complete after \(offset) of \(length) bytes"
            throw Failed(response, .malformedResponse(reason: reason))
        }
        return (found, isComplete ? response : nil)
    }

    /// - Returns: the new state, and the response if it is the upload's last one.
    private mutating func append(
        _ state: ResumableUpload.State, _ sent: inout Int64
    ) async throws(Failed) -> (ResumableUpload.State, Response<Value>?) {
        var state = state
        let piece: UploadSource.Piece
        let body: Body
        var checksum: String?
        do {
            let hash = plan.checksum
            let size = plan.pieceSize ?? source.usualSize(isHeld: hash != nil)
            let limit = [size, state.limit.map { Int(clamping: $0) }].compactMap(\.self).min().map { max(1, $0) }
            piece = try await source.piece(at: state.offset, atMost: limit, isHeld: hash != nil)
            if let hash, case .bytes(let bytes) = piece.body { checksum = UploadDialect.checksum(hash, of: bytes) }
            body = try plan.bytesPerSecond.map { try piece.body.paced(bytesPerSecond: $0) } ?? piece.body
        } catch {
            throw await reject(ofSource: error)
        }
        // Before the server gets these bytes, because a later process has to find the same ones.
        if state.sent != source.sent {
            state.sent = source.sent
            await plan.store(state)
        }
        let end = state.offset + piece.count
        sent = end
        let fields = dialect.append(
            at: state.offset, end: piece.isLast ? end : nil, isDeferred: state.length == nil, checksum: checksum)
        let meter = meter
        let observer = SendingObserver { [state] count in meter.change { $0.completed = state.offset + count } }
        let step = UploadStep(
            endpoint, .patch, at: state.url, fields: fields, body: body,
            verifier: piece.isLast && !isTus ? nil : .successful, modifiers: [observer])
        guard piece.isLast else {
            let response = await dispatcher.response(for: step, as: .nothing)
            let answer = try read(response)
            if answer.isComplete == true {
                throw Failed(response, .malformedResponse(reason: "expected an incomplete upload, found it complete"))
            }
            return (try await acknowledge(state, answer, to: end, response), nil)
        }
        let response = await dispatcher.response(for: step, as: decoding)
        let named = (try? dialect.answer(response.head?.headers ?? [:]))?.offset
        // The server has all bytes, even if its response is invalid.
        if case .decoding = response.error?.untranslated, named ?? end == end { await plan.store(nil) }
        // In the draft the last response is the endpoint's own, and may be at another address (303).
        let answer = try read(response, mayBeElsewhere: !isTus)
        if answer.isComplete == true, let offset = answer.offset, offset != end {
            let reason = "the upload is complete after \(offset) of \(end) bytes"
            throw Failed(response, .malformedResponse(reason: reason))
        }
        // A server may have accepted only a part.
        if isTus ? answer.offset != end : answer.isComplete == false || answer.offset ?? end != end {
            return (try await acknowledge(state, answer, to: end, response), nil)
        }
        await plan.store(nil)
        return (state, response)
    }

    /// The state after a response to bytes.
    private func acknowledge<Other>(
        _ state: ResumableUpload.State, _ answer: UploadDialect.Answer, to end: Int64, _ response: Response<Other>
    ) async throws(Failed) -> ResumableUpload.State {
        if answer.offset == nil, isTus {
            throw Failed(response, .malformedResponse(reason: "the response has no Upload-Offset"))
        }
        var found = state
        found.expires = answer.expires ?? state.expires
        try move(&found, to: answer.offset ?? end, atMost: end, response)
        guard found.offset > state.offset else {
            let reason = "expected that the server takes bytes, found the same Upload-Offset \(found.offset) again"
            var failed = Failed(response, .malformedResponse(reason: reason))
            failed.isStandstill = true
            throw failed
        }
        await plan.store(found)
        return found
    }

    /// The upload's response if the server already has all bytes.
    private func end(_ response: Response<Void>, _ state: ResumableUpload.State) async throws(Failed) -> Response<Value> {
        await plan.store(nil)
        meter.change { $0.completed = state.offset }
        if let nothing = () as? Value { return response.with(.success(nothing)) }
        return await dispatcher.response(
            for: UploadStep(endpoint, .head, at: state.url, fields: dialect.common, verifier: nil), as: decoding)
    }

    // MARK: - The answers

    /// - Parameter mayBeElsewhere: whether a redirect may have led to another method's response.
    private func read<Other>(
        _ response: Response<Other>, mayBeElsewhere: Bool = false
    ) throws(Failed) -> UploadDialect.Answer {
        switch response.error {
        case .cancelled(let context): throw Failed(response, APIClientError.cancelled(context))
        case .transport(let failure, let context): throw Failed(response, APIClientError.transport(failure, context))
        default: break
        }
        if let sent = response.request?.method, let last = response.answeredRequest?.method, sent != last, !mayBeElsewhere {
            let reason = "expected a response to the upload's \(sent), found a redirect that made it a \(last)"
            throw Failed(response, .malformedResponse(reason: reason))
        }
        if let error = response.error { throw Failed(response, error) }
        do throws(TransportError) {
            return try dialect.answer(response.head?.headers ?? [:])
        } catch {
            throw Failed(response, error)
        }
    }

    /// - Throws: an error if the offset goes back, or is beyond the bytes that the server can have.
    private func move<Other>(
        _ state: inout ResumableUpload.State, to offset: Int64, atMost sent: Int64, _ response: Response<Other>
    ) throws(Failed) {
        let end = min(sent, state.length ?? .max)
        guard offset >= state.offset, offset <= end else {
            let reason = "expected Upload-Offset from \(state.offset) to \(end), found \(offset)"
            throw Failed(response, .malformedResponse(reason: reason))
        }
        state.offset = offset
        meter.change { ($0.completed, $0.total) = (offset, state.length) }
    }

    /// The upload's own address. The kit sends credentials there, so it must have the origin of the request that created the
    /// upload.
    private func address(_ location: String, _ response: Response<Void>) throws(Failed) -> String {
        guard let base = response.request?.url, let answered = response.answeredRequest?.url else {
            throw Failed(response, .malformedResponse(reason: "no request"))
        }
        let found: HTTPURL
        do throws(RequestError) {
            found = try answered.resolving(location)
        } catch {
            let text = location.shortened(to: 500).escapingControls
            throw Failed(response, .redirectRejected(to: text, reason: "expected an address as the upload's Location"))
        }
        guard found.hasSameOrigin(as: base) else {
            let reason = "the upload's Location has another origin, and would get the endpoint's credentials"
            throw Failed(response, .redirectRejected(to: found.origin, reason: reason))
        }
        return found.string
    }

    /// The failure of an upload whose source cannot be read.
    private func reject(ofSource error: any Error) async -> Failed {
        await reject(error is CancellationError ? error : TransportError.bodyUnreadable(error))
    }

    /// The failure of an upload that cannot make a request.
    private func reject(_ error: any Error) async -> Failed {
        let response = await dispatcher.response(for: endpoint.failing { APIClientError(error, $0) }, as: .nothing)
        return Failed(response, response.error ?? APIClientError(error, APIClientError.Context(response)))
    }
}

/// The next step of an upload after a failure.
private enum Continuation {
    case fromOffset, anew
}

extension Response {
    /// The next step of an upload after this response; `nil` if the upload fails.
    fileprivate func continuation(_ plan: ResumableUpload, hasState: Bool) -> Continuation? {
        if case .transport(let failure, _) = error?.untranslated {
            switch failure {
            case .cannotResolveHost, .cannotConnect, .connectionLost, .truncated, .proxy: return .fromOffset
            case .timedOut(let phase, _): return phase == .total ? nil : .fromOffset
            default: return nil
            }
        }
        switch head?.status.code {
        case 404, 410: return hasState && plan.startsAnew ? .anew : nil
        // 409: the offset differs. 423: another request still writes. 460: the piece is damaged.
        case 408, 409, 423, 425, 429, 460, 500, 502, 503, 504: return .fromOffset
        default: return nil
        }
    }
}

extension ResumableUpload {
    /// The defect of the metadata; `nil` if there is no defect. A key must not be empty, and has visible ASCII without commas.
    fileprivate var metadataDefect: String? {
        let isSound = metadata.keys.allSatisfy { key in
            !key.isEmpty && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
        }
        return isSound ? nil : "a key must be of visible ASCII characters without commas"
    }
}
