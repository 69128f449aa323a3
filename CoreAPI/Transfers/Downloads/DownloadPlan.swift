internal import CoreAPICore
internal import CoreAPIHTTP
internal import HTTPTypes

/// What a download has of a file, and what a response means for it. A value without I/O: ``DownloadRun`` makes the requests and
/// writes the bytes.
///
/// It knows no file until a response with all bytes begins. From then on it asks for the rest of each segment. If the bytes on
/// the disk turn out to be of another file, it forgets them and asks for all bytes.
struct DownloadPlan: Sendable {
    enum Decision: Hashable, Sendable {
        /// It has all bytes, from the first.
        case begin
        /// It has the segment's next bytes. `end` is the offset after its last byte, `nil` if it is not known.
        case append(end: Int64?)
        /// The segment was complete before.
        case complete
        /// The bytes on the disk are of no use: ask for all.
        case askForAll(Reason)
        case fail(Reason)
    }

    enum Reason: Hashable, Sendable {
        case itsError
        case malformed(String)
        case unexpectedStatus(Int)
        case tooLarge(limit: Int64)
    }

    /// What the plan needs to know of a response.
    struct Facts {
        var head: ResponseHead?
        /// That of the body in bytes, if it is known, and whether the transport has decoded it.
        var length: Int64?
        var isDecoded = false
        /// As ``Sidecar/resource``.
        var resource = ""
        var failure: Failure?

        enum Failure {
            /// The exchange, or its framing.
            case transport
            case other
        }
    }

    private let decodes: Bool
    private let sizeLimit: Int64?

    /// SHA-256 of the address or the name of the bytes; see ``Sidecar/resource``.
    private(set) var resource = ""
    /// `nil` until a response with all bytes begins.
    private(set) var representation: Representation?
    private(set) var segments: [Segment] = []
    private(set) var head: ResponseHead?
    /// `Content-Digest` of complete responses with their bytes, to be compared at the end.
    var digests: [(range: Range<Int64>, field: DigestField)] = []
    /// The number of bytes from an earlier run.
    private(set) var reused: Int64 = 0
    /// How often the bytes on the disk were given up.
    private(set) var restarts = 0
    /// The attempts that failed since the last progress, when the bytes were given up.
    var failed: [Attempt.Outcome] = []
    /// Whether the bytes are those of an earlier run.
    private var isLoaded = false
    /// Whether the server answers ranges wrongly.
    private var rejectsRanges = false

    init(_ options: DownloadOptions) { (decodes, sizeLimit) = (options.decodes, options.sizeLimit) }

    /// The number of bytes on the disk.
    var completed: Int64 { segments.reduce(0) { $0 + $1.done - $1.start } }
    var progress: TransferProgress {
        var progress = TransferProgress(completed: completed, total: representation?.length)
        (progress.reused, progress.restarts) = (reused, restarts)
        return progress
    }
    var open: [Int] { segments.indices.filter { !segments[$0].isComplete } }
    /// Whether a GET can ask for the rest.
    var mayContinue: Bool { representation?.validator != nil && !decodes && !rejectsRanges }

    /// The fields of a request. `index` is a segment; `nil` for all bytes.
    func fields(for index: Int?) -> Headers {
        var fields: Headers = decodes ? [:] : ["Accept-Encoding": "identity"]
        guard let index, let representation, let validator = representation.validator else { return fields }
        let segment = segments[index]
        let last = segment.end.flatMap { $0 == representation.length ? nil : "\($0 - 1)" } ?? ""
        fields["Range"] = "bytes=\(segment.done)-\(last)"
        fields["If-Range"] = validator.text
        return fields
    }

    /// `index` is the segment that was asked for; `nil` for all bytes. `takesAnyAddress` says whether bytes of an earlier run may
    /// be continued from another address.
    mutating func read(_ facts: Facts, for index: Int?, takesAnyAddress: Bool = false) -> Decision {
        if let failure = facts.failure { return readFailure(facts, failure, index) }
        guard let head = facts.head else { return .fail(.malformed("no head")) }
        if decodes, let found = head.coding?.shortened(to: 40) {
            return .fail(.malformed("expected a content coding that the transport decodes, found \(found)"))
        }
        switch (head.status.code, index) {
        case (200, nil), (203, nil): return .begin
        case (200, _?), (203, _?):
            guard representation?.isContradicted(by: head, length: facts.length) == true else { return .begin }
            return giveUpRanges("expected a 206, or 200 with the whole file, found a 200 with other bytes")
        case (206, let index?): return readPart(facts, head, index, takesAnyAddress)
        case (206, nil): return .fail(.malformed("expected 200 without Range, found 206 (RFC 9110 §15.3.7)"))
        default: return .fail(.unexpectedStatus(head.status.code))
        }
    }

    /// Whether the server contradicts itself when it names another file: for a part requested at the same time as the first
    /// response, or a second time.
    private func isContradiction(_ index: Int) -> Bool {
        restarts > 0 || segments.count > 1 && !isLoaded && segments[index].done == segments[index].start
    }

    private mutating func giveUpRanges(_ reason: String) -> Decision {
        rejectsRanges = true
        return .askForAll(.malformed(reason))
    }

    private mutating func readFailure(_ facts: Facts, _ failure: Facts.Failure, _ index: Int?) -> Decision {
        guard let index, let head = facts.head else { return .fail(.itsError) }
        switch (head.status.code, failure) {
        // The transport rejected the response, because it has another part than the requested one. A verifier may reject it, too.
        case (206, .transport):
            rejectsRanges = true
            return .askForAll(.itsError)
        case (416, _):
            let (total, segment) = (head.contentRange?.total, segments[index])
            if total == segment.done, segment.end == nil, representation?.mayBeContinued(by: head, total: total) == true {
                self.head = head
                complete(index, at: segment.done)
                return .complete
            }
            // The file has this range, unless it has another length now.
            if isContradiction(index) || representation?.length.map({ total ?? $0 == $0 }) == true { rejectsRanges = true }
            return .askForAll(.itsError)
        default: return .fail(.itsError)
        }
    }

    private mutating func readPart(_ facts: Facts, _ head: ResponseHead, _ index: Int, _ takesAnyAddress: Bool) -> Decision {
        let segment = segments[index]
        if facts.isDecoded { return giveUpRanges("expected the stored bytes from \(segment.done), found decoded ones") }
        guard let range = head.contentRange, let bytes = range.bytes, bytes.lowerBound == segment.done,
            bytes.upperBound <= segment.end ?? .max, head.mediaType?.essence != "multipart/byteranges",
            facts.length.map({ $0 == Int64(bytes.count) }) ?? true
        else { return giveUpRanges("expected the bytes from \(segment.done), found another part") }
        guard !isLoaded || takesAnyAddress || resource == facts.resource, let known = representation, known.isCoded(as: head),
            known.mayBeContinued(by: head, total: range.total)
        else {
            // Ranges of a server that does not repeat the validator can never be checked.
            if isContradiction(index) || representation?.isNamed(by: head) == false { rejectsRanges = true }
            return .askForAll(.malformed("expected the rest of the file, found another file"))
        }
        (self.head, resource) = (head, facts.resource)
        if known.digest == nil { representation?.digest = head.namedDigest }
        if known.length == nil, let total = range.total { learn(total) }
        return .append(end: bytes.upperBound)
    }

    /// Begins a file with a response that has all bytes, in at most so many segments. Returns why it is of no use, if it is not.
    mutating func begin(_ facts: Facts, parts: Int) -> Reason? {
        guard let head = facts.head else { return .malformed("no head") }
        var length: Int64?
        if !facts.isDecoded {
            length = head.single(.contentLength).flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 } ?? facts.length
        }
        if let length, let found = facts.length, length != found {
            return .malformed("expected a body of \(length) bytes by Content-Length, found \(found)")
        }
        if let length, let rejection = rejection(ofSize: length) { return rejection }
        let units = head.rangeUnits
        rejectsRanges = rejectsRanges || units == ["none"]
        (resource, self.head) = (facts.resource, head)
        representation = Representation(head, length: length, isDecoded: facts.isDecoded)
        var count = 1
        if mayContinue, let length, units.contains("bytes") {
            count = max(1, min(parts, DownloadOptions.mostParts, Int(clamping: length / DownloadOptions.smallestPart)))
        }
        segments = Self.segments(count, of: length)
        return nil
    }

    /// Segments of equal size; a single open one if the length is unknown.
    private static func segments(_ count: Int, of length: Int64?) -> [Segment] {
        guard let length else { return [Segment(start: 0, end: nil, done: 0)] }
        let starts = (0..<Int64(count)).map { $0 * (length / Int64(count)) }
        return zip(starts, starts.dropFirst() + [length]).map { Segment(start: $0, end: $1, done: $0) }
    }

    func rejection(ofSize size: Int64) -> Reason? { sizeLimit.flatMap { size > $0 ? .tooLarge(limit: $0) : nil } }

    /// Takes over the bytes of an earlier download.
    mutating func load(_ sidecar: Sidecar) {
        (resource, representation, segments) = (sidecar.resource, sidecar.representation, sidecar.segments)
        // A complete part requests its last byte again, because servers reject a range after the end.
        if segments.allSatisfy(\.isComplete), let last = segments.lastIndex(where: { $0.done > $0.start }) {
            segments[last].done -= 1
        }
        (isLoaded, reused) = (true, completed)
    }

    /// What a later download needs to continue; `nil` if none can.
    var sidecar: Sidecar? {
        guard mayContinue, let representation else { return nil }
        return Sidecar(resource: resource, representation: representation, segments: segments)
    }

    mutating func append(_ index: Int, to offset: Int64) { segments[index].done = offset }

    /// A response whose length was not known has ended.
    mutating func complete(_ index: Int, at end: Int64) {
        segments[index].done = end
        learn(end)
    }

    private mutating func learn(_ length: Int64) {
        representation?.length = length
        if let last = segments.indices.last { segments[last].end = length }
    }

    /// Forgets the bytes, and says whether the download may go on. The disk keeps them until a response with all bytes begins:
    /// the server may fail instead.
    mutating func restart(atMost limit: Int) -> Bool {
        (representation, segments, digests) = (nil, [], [])
        (reused, isLoaded) = (0, false)
        restarts += 1
        return restarts <= limit
    }

    /// Whether another download of all bytes may mend wrong digests. Bytes of several responses may be damaged, or belong to
    /// several files.
    var mayMendDigests: Bool { (isLoaded || segments.count > 1) && restarts == 0 }
}
