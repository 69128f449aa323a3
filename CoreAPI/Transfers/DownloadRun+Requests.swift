internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// The requests of a download, and the bytes of their answers.
extension DownloadRun {
    /// Downloads a segment to its end, with at most as many requests as the channel allows attempts.
    func fill(_ index: Int, _ part: PartFile, _ first: Response<Body>?) async throws {
        var first = first
        var (outcomes, counted) = state.withLock { ($0.failed, $0.segments[index].done) }
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
                state.withLock { $0.failed = next.1 }
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
    func ask(for segment: Segment?) async throws -> (response: Response<Body>, end: Int64?) {
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
    func complete(_ index: Int, at end: Int64) {
        state.withLock { state in
            state.segments[index].done = end
            state.learn(end)
        }
        report()
    }

    func report() {
        reports.lock()
        defer { reports.unlock() }
        control.report(
            state.withLock { state in
                var progress = TransferProgress(completed: state.completed, total: state.representation?.length)
                (progress.reused, progress.restarts) = (state.reused, state.restarts)
                return progress
            })
    }
}
