public import CoreAPICore
internal import CoreAPIHTTP
public import Foundation

/// An upload in progress. It begins when it is made, and continues if it is released.
///
/// ```swift
/// let upload = manager.upload(.post("photos"), from: .file(photo), as: .decodable(Photo.self))
/// for await progress in upload.progress { bar.show(progress.fraction) }
/// let saved = try await upload.value
/// ```
public final class Upload<Value: Sendable>: Transfer {
    private let meter: TransferMeter
    private let task: Task<Response<Value>, Never>

    init(_ run: @escaping @Sendable (TransferMeter) async -> Response<Value>) {
        let meter = TransferMeter()
        self.meter = meter
        task = Task {
            defer { meter.end() }
            return await run(meter)
        }
    }

    /// Waits for the end, and gives the whole response. Cancelling the waiting task cancels the upload.
    public var response: Response<Value> {
        get async {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// The value of the response; otherwise as ``response``.
    ///
    /// - Throws: `APIClientError`, by the stage that failed; `.cancelled` after ``cancel()``.
    public var value: Value { get async throws(APIClientError) { try await response.value } }
    /// The progress: the current value first, then the newest one each time the reader asks. Ends with the upload.
    ///
    /// Counts the bytes that the transport has read; the last bytes may still be in buffers. Each access makes a new sequence.
    public var progress: AsyncStream<TransferProgress> { meter.updates }

    /// The progress as Foundation's `Progress`, for a view or a parent: a new object each time. Cancelling it cancels the upload.
    public var foundationProgress: Progress {
        let progress = Progress(totalUnitCount: -1)
        progress.isCancellable = true
        progress.cancellationHandler = { [task] in task.cancel() }
        meter.mirror(in: progress)
        return progress
    }

    /// Stops the upload. A second call, or one after the end, does nothing.
    public func cancel() { task.cancel() }
}

/// The options of an upload.
public struct UploadOptions: Sendable, Hashable {
    /// The content coding of the body, sent with `Content-Encoding`. Default `nil`, without a coding.
    public var compression: ContentCoding?
    /// The maximum rate in bytes per second, after compression. Default `nil`, without a limit.
    public var bytesPerSecond: Int?
    /// Whether the transport asks the server before it sends the body (`Expect: 100-continue`, RFC 9110 §10.1.1). Default
    /// `false`. Without a response it sends after a second. libcurl before 8 does not wait in HTTP/2. If a server that knows no
    /// expectation rejects it (417), the next attempt has none; a body that can be read only once is not sent again.
    public var expectsContinue: Bool

    /// Makes options; each omitted one has its default.
    public init(compression: ContentCoding? = nil, bytesPerSecond: Int? = nil, expectsContinue: Bool = false) {
        (self.compression, self.bytesPerSecond, self.expectsContinue) = (compression, bytesPerSecond, expectsContinue)
    }

    /// An upload may take a day if no level sets a timeout. `Timeout.idle` finds a dead server much earlier.
    static let total = Duration.seconds(86_400)
}

extension Dispatcher {
    /// Sends a body of any size, and reports the progress.
    ///
    /// ```swift
    /// let options = UploadOptions(bytesPerSecond: 500_000)
    /// let upload = manager.upload(.put("films/\(segment: id)"), from: .file(film), options: options)
    /// ```
    ///
    /// The request has the length if it is known; otherwise the body is chunked. An early response, such as 413 or 401, ends the
    /// sending. A body that can be read only once is never sent again.
    ///
    /// Without a `Timeout` on any level the upload may take a day.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - body: the body, as `application/octet-stream` unless a header names another type. Default `nil`: the endpoint's own
    ///     body, such as a form with files.
    ///   - decoding: how the response becomes the value.
    ///   - options: compression, rate, `Expect: 100-continue`.
    public func upload<Value: Sendable>(
        _ endpoint: some Endpoint, from body: Body? = nil, as decoding: ResponseDecoding<Value>,
        options: UploadOptions = UploadOptions()
    ) -> Upload<Value> {
        Upload { meter in
            let own = endpoint.encoding
            let note: @Sendable (Int64) -> Void = { count in meter.change { $0.completed = count } }
            let encoding = InputEncoding(own.name) { parameters, request in
                // The endpoint's own encoding runs first, because it may also write a query.
                try own(parameters, into: &request)
                if let body { try InputEncoding.body(body)(parameters, into: &request) }
                let length = (try? request.body.knownLength()) ?? nil
                meter.change { $0 = TransferProgress(total: length) }
                if let coding = options.compression { try request.compress(with: coding, noting: note) }
                if let rate = options.bytesPerSecond { request.body = try request.body.paced(bytesPerSecond: rate) }
                if request.modifier(Timeout.self) == nil { request.timeout.total = UploadOptions.total }
            }
            // A compressed body counts the bytes of its source, because their number is known.
            let observer = options.compression == nil ? SendingObserver(sent: note) : nil
            let expectation = options.expectsContinue ? Header("Expect", "100-continue") : nil
            let attached: [(any RequestModifier)?] = [expectation, observer]
            let upload = TransferEndpoint(wrapped: endpoint, encoding: encoding, attached: attached.compactMap(\.self))
            return await self.response(for: upload, as: decoding)
        }
    }

    /// As ``upload(_:from:as:options:)``, for the endpoint's own output, by default `Void`.
    public func upload<Item: Endpoint>(
        _ endpoint: Item, from body: Body? = nil, options: UploadOptions = UploadOptions()
    ) -> Upload<Item.Output> { upload(endpoint, from: body, as: endpoint.decoding, options: options) }
}

extension Body {
    /// The elements of a sequence that can be read only once. No retry, redirect or refreshed token sends the body again. For a
    /// sequence that can be made anew see `Body.Stream.init(length:_:)`.
    ///
    /// - Parameters:
    ///   - sequence: the chunks.
    ///   - length: the number of bytes; `nil` if it is not known. A sequence with another number of bytes fails the attempt.
    public static func once<Chunks: AsyncSequence & Sendable>(_ sequence: Chunks, length: Int64? = nil) -> Body
    where Chunks.Element == Data {
        let unread = Mutex<Chunks?>(sequence)
        let chunks = ChunkSource(isReplayable: false) {
            guard var iterator = unread.withLock({ $0.take() })?.makeAsyncIterator() else { throw BodyError.readTwice }
            return { try await iterator.next(isolation: #isolation) }
        }
        return .stream(Body.Stream(length: length, chunks))
    }
}
