internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// The requests of a download, and the bytes of their responses.
extension DownloadRun {
    /// Downloads a segment to its end, with at most as many requests as the channel allows attempts.
    ///
    /// - Parameter given: a response that has all bytes.
    func fill(_ index: Int, _ part: PartFile, _ given: Response<Body>?) async throws -> End {
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
                    $0.read(facts(of: response), for: index, takesAnyAddress: control.takesAnyAddress)
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
                let failure = APIClientError(error, APIClientError.Context(response))
                guard !Task.isCancelled, !control.isPaused, !(error is DownloadError) else { throw error }
                tries.note(failed: plan.segments[index].done)
                // In Response.swift.
                let next = await response.retryDelay(afterBodyBrokeBy: failure, earlier: tries.failed)
                guard let (delay, failed) = next else { throw failure }
                tries.failed = failed
                change { $0.failed = failed }
                save(part)
                try await Task.sleep(for: delay)
                guard mayContinue else { return .restart(with: nil, after: failure) }
            }
            guard tries.mayTakeAnotherPart || plan.segments[index].isComplete else {
                let reason = "\(tries.parts) partial responses one after another, with less than 1 MiB together"
                throw self.error(.malformed(reason), response)
            }
        }
        return .complete
    }

    private static let changes = DownloadPlan.Reason.malformed(
        "expected the rest of the file, found another file or the whole file several times")

    /// Counts what a segment has tried. Each MiB of progress is a new beginning.
    private struct Tries {
        var failed: [Attempt.Outcome]
        /// Responses in a row. A server may send less than the requested range (RFC 9110 §15.3.7), but not a byte at a time.
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
    func ask(for index: Int?) async -> Response<Body> {
        let fields = plan.fields(for: index)
        let response = await dispatcher.response(for: control.endpoint.attaching(fields.own), as: .stream)
        state.withLock { state in
            (state.context, state.attempts) = (APIClientError.Context(response), response.call.channel.limits.attempts)
            if response.error?.allowsFewerRequests == true { state.pause = Backoff().pause(after: 1, response) }
        }
        return response
    }

    func facts(of response: Response<Body>) -> DownloadPlan.Facts {
        var facts = DownloadPlan.Facts(head: response.head, resource: resource(of: response))
        switch response.result {
        case .success(let body): (facts.length, facts.isDecoded) = (body.length, body.isDecoded)
        case .failure(let error):
            facts.failure = if case .transport = error.untranslated { .transport } else { .other }
        }
        return facts
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
            throw APIClientError.transport(.truncated(received: received, expected: expected), APIClientError.Context(response))
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
}
