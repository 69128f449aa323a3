internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// One resumable upload, from its creation or a stored state to its last response.
///
/// Each turn sends bytes from the server's offset on. After a failure the next turn first asks for the offset.
struct ResumableRun<Value: Sendable> {
    typealias State = ResumableUpload.State

    let dispatcher: any Dispatcher
    let endpoint: any Endpoint
    let decoding: ResponseDecoding<Value>
    let plan: ResumableUpload
    let meter: TransferMeter
    var source: UploadSource
    var state: State?
    /// The offset after the last byte given to the transport.
    var sent: Int64 = .max

    private var dialect: ResumableUpload.Dialect { plan.state?.dialect ?? plan.dialect }
    private var isTus: Bool { dialect.isTus }

    /// The response of the request that ends the upload without success.
    private struct Failed: Error {
        let response: Response<Value>
        /// Whether the server has responded in the right form, but has taken no byte.
        var isStandstill = false

        init<Other>(_ response: Response<Other>, _ error: APIClientError) { self.response = response.with(.failure(error)) }

        init<Other>(_ response: Response<Other>, _ error: TransportError) {
            self.init(response, .transport(error, APIClientError.Context(response)))
        }

        init<Other>(_ response: Response<Other>, malformed reason: String) {
            self.init(response, .malformedResponse(reason: reason))
        }
    }

    mutating func response() async -> Response<Value> {
        do throws(Failed) {
            return try await turns()
        } catch {
            return error.response
        }
    }

    private mutating func turns() async throws(Failed) -> Response<Value> {
        if plan.checksum != nil, !isTus {
            throw await reject(TransportError.unsupported(capability: "a checksum of each piece in the IETF's draft"))
        }
        var failures = 0
        /// How often the upload was created after the server had forgotten it.
        var renewals = 0
        var mustAsk = state != nil
        while true {
            let before = state?.offset
            let failed: Failed
            do throws(Failed) {
                if let response = try await turn(asksFirst: mustAsk) { return response }
                (failures, mustAsk) = (0, false)
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

    /// Creates the upload, or sends its next bytes. Gives the upload's last response.
    private mutating func turn(asksFirst: Bool) async throws(Failed) -> Response<Value>? {
        if asksFirst, let known = state, let response = try await ask(known) { return response }
        if let known = state { return try await append(known) }
        return try await create()
    }

    private func pause(after failed: Failed, _ failures: Int) async throws(Failed) {
        guard let pause = Backoff(base: plan.pause).pause(after: failures, failed.response) else { throw failed }
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw failed.response.error.map { Failed(failed.response, .cancelled($0.context)) } ?? failed
        }
    }

    private mutating func create() async throws(Failed) -> Response<Value>? {
        let fingerprint = try await fromSource { try await $0.begin() }
        let length = source.length
        meter.change { $0 = TransferProgress(total: length) }
        let isSound = plan.metadata.keys.allSatisfy { key in
            !key.isEmpty && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
        }
        guard isSound else {
            let reason = "a key must be of visible ASCII characters without commas"
            throw await reject(RequestError.malformedHeader(name: "Upload-Metadata", reason: reason))
        }
        let fields = dialect.creation(length: length, metadata: plan.metadata)
        let response = await dispatcher.response(for: TransferEndpoint(step: endpoint, fields: fields), as: .nothing)
        let status = try read(response)
        guard let location = status.location, !location.isEmpty else {
            throw Failed(response, malformed: "expected a Location for the upload, found no such field")
        }
        let made = State(
            url: try address(location, response), dialect: dialect, offset: 0, length: length, source: fingerprint,
            sent: source.sent, expires: status.expires, limit: status.limit)
        await plan.store(made)
        (state, sent) = (made, 0)
        // In tus an upload without bytes is complete when it is created.
        return isTus && length == 0 ? await end(response, made) : nil
    }

    /// Moves the state to the server's offset.
    private mutating func ask(_ state: State) async throws(Failed) -> Response<Value>? {
        if source.isNew {
            try await fromSource { source in
                let found = try await source.begin()
                if found != state.source {
                    throw UploadSourceChanged(reason: "expected the source '\(state.source)', found '\(found)'")
                }
            }
        }
        let step = TransferEndpoint(step: endpoint, .head, at: state.url, fields: dialect.common)
        let response = await dispatcher.response(for: step, as: .nothing)
        let status = try read(response)
        guard let offset = status.offset else { throw Failed(response, malformed: "the response has no Upload-Offset") }
        if let length = state.length, let found = status.length, found != length {
            throw Failed(response, malformed: "expected Upload-Length \(length), found \(found)")
        }
        var found = state
        found.expires = status.expires ?? state.expires
        // This run has sent nothing yet. For a sequence, the state records every byte that was sent.
        let isFirst = sent == .max
        try move(&found, to: offset, atMost: isFirst ? state.sent?.count ?? .max : sent, response)
        if isFirst { meter.change { $0.reused = offset } }
        try await fromSource { try await $0.skip(state.sent, to: offset) }
        let isComplete = isTus ? offset == state.length : status.isComplete == true
        if isComplete, let length = state.length, offset != length {
            throw Failed(response, malformed: "the upload is complete after \(offset) of \(length) bytes")
        }
        self.state = found
        return isComplete ? await end(response, found) : nil
    }

    private mutating func append(_ known: State) async throws(Failed) -> Response<Value>? {
        var state = known
        let hash = plan.checksum
        let size = plan.pieceSize ?? source.usualSize(isHeld: hash != nil)
        let limit = [size, state.limit.map { Int(clamping: $0) }].compactMap(\.self).min().map { max(1, $0) }
        let (piece, body) = try await fromSource { [plan, state] source in
            let piece = try await source.piece(at: state.offset, atMost: limit, isHeld: hash != nil)
            return (piece, try plan.bytesPerSecond.map { try piece.body.paced(bytesPerSecond: $0) } ?? piece.body)
        }
        var checksum: String?
        if let hash, case .bytes(let bytes) = piece.body { checksum = hash.field(of: bytes) }
        // Before the server gets these bytes, because a later process has to find the same ones.
        if state.sent != source.sent {
            state.sent = source.sent
            await plan.store(state)
        }
        let end = state.offset + piece.count
        sent = end
        let fields = dialect.append(
            at: state.offset, end: piece.isLast ? end : nil, isDeferred: state.length == nil, checksum: checksum)
        let observer = SendingObserver { [meter, state] count in meter.change { $0.completed = state.offset + count } }
        let step = TransferEndpoint(
            step: endpoint, .patch, at: state.url, fields: fields, body: body,
            verifier: piece.isLast && !isTus ? nil : .successful, observer: observer)
        guard piece.isLast else {
            let response = await dispatcher.response(for: step, as: .nothing)
            let status = try read(response)
            guard status.isComplete != true else {
                throw Failed(response, malformed: "expected an incomplete upload, found it complete")
            }
            return try await acknowledge(state, status, to: end, response)
        }
        let response = await dispatcher.response(for: step, as: decoding)
        let named = (try? dialect.status(response.head?.headers ?? [:]))?.offset
        // The server has all bytes, even if its response is invalid.
        if case .decoding = response.error?.untranslated, named ?? end == end { await plan.store(nil) }
        // In the draft the last response is the endpoint's own, and may be at another address (303).
        let status = try read(response, mayBeElsewhere: !isTus)
        if status.isComplete == true, let offset = status.offset, offset != end {
            throw Failed(response, malformed: "the upload is complete after \(offset) of \(end) bytes")
        }
        // A server may have accepted only a part.
        if isTus ? status.offset != end : status.isComplete == false || status.offset ?? end != end {
            return try await acknowledge(state, status, to: end, response)
        }
        await plan.store(nil)
        return response
    }

    /// Moves the state after each response but the last.
    private mutating func acknowledge<Other>(
        _ state: State, _ status: ResumableUpload.Dialect.Status, to end: Int64, _ response: Response<Other>
    ) async throws(Failed) -> Response<Value>? {
        if status.offset == nil, isTus { throw Failed(response, malformed: "the response has no Upload-Offset") }
        var found = state
        found.expires = status.expires ?? state.expires
        try move(&found, to: status.offset ?? end, atMost: end, response)
        guard found.offset > state.offset else {
            let reason = "expected that the server takes bytes, found the same Upload-Offset \(found.offset) again"
            var failed = Failed(response, malformed: reason)
            failed.isStandstill = true
            throw failed
        }
        await plan.store(found)
        self.state = found
        return nil
    }

    /// The upload's response if the server already has all bytes.
    private func end(_ response: Response<Void>, _ state: State) async -> Response<Value> {
        await plan.store(nil)
        meter.change { $0.completed = state.offset }
        if let nothing = () as? Value { return response.with(.success(nothing)) }
        let step = TransferEndpoint(step: endpoint, .head, at: state.url, fields: dialect.common, verifier: nil)
        return await dispatcher.response(for: step, as: decoding)
    }

    /// `mayBeElsewhere` says that a redirect may have led to another method's response.
    private func read<Other>(
        _ response: Response<Other>, mayBeElsewhere: Bool = false
    ) throws(Failed) -> ResumableUpload.Dialect.Status {
        switch response.error {
        case .cancelled(let context): throw Failed(response, APIClientError.cancelled(context))
        case .transport(let failure, let context): throw Failed(response, APIClientError.transport(failure, context))
        default: break
        }
        if let sent = response.request?.method, let last = response.lastRequest?.method, sent != last, !mayBeElsewhere {
            throw Failed(
                response, malformed: "expected a response to the upload's \(sent), found a redirect that made it a \(last)")
        }
        if let error = response.error { throw Failed(response, error) }
        do throws(TransportError) {
            return try dialect.status(response.head?.headers ?? [:])
        } catch {
            throw Failed(response, error)
        }
    }

    /// The offset must neither go back nor be beyond the bytes that the server can have.
    private func move<Other>(
        _ state: inout State, to offset: Int64, atMost sent: Int64, _ response: Response<Other>
    ) throws(Failed) {
        let end = min(sent, state.length ?? .max)
        guard offset >= state.offset, offset <= end else {
            throw Failed(response, malformed: "expected Upload-Offset from \(state.offset) to \(end), found \(offset)")
        }
        state.offset = offset
        meter.change { ($0.completed, $0.total) = (offset, state.length) }
    }

    /// The upload's own address. The kit sends credentials there, so it must have the origin of the request that created the
    /// upload.
    private func address(_ location: String, _ response: Response<Void>) throws(Failed) -> String {
        guard let base = response.request?.url, let answered = response.lastRequest?.url else {
            throw Failed(response, malformed: "no request")
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

    /// Reads the source. If that fails, the upload fails.
    private mutating func fromSource<Found>(_ read: (inout UploadSource) async throws -> Found) async throws(Failed) -> Found {
        do {
            return try await read(&source)
        } catch {
            throw await reject(error is CancellationError ? error : TransportError.bodyUnreadable(error))
        }
    }

    /// The failure of an upload that cannot make a request.
    private func reject(_ error: any Error) async -> Failed {
        let rejected = await dispatcher.reject(endpoint) { APIClientError(error, $0) }
        return Failed(rejected.response, rejected.error)
    }
}

private enum Continuation { case fromOffset, anew }

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
