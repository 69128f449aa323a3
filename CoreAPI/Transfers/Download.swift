public import CoreAPICore
public import Foundation

/// A download of a file, which has begun.
///
/// ```swift
/// let download = manager.download(.get("exports/\(segment: id)"), to: file)
/// for await progress in download.progress { show(progress.fraction) }
/// let export = try await download.value
/// ```
///
/// The bytes go into `NAME.part` beside the file. They replace the file only when all of them are there and have the digests that
/// the server (RFC 9530) and the options name. An interrupted download keeps them, and the next download of the same address to
/// the same file continues them, also in another process; see ``DownloadOptions/resumes``.
///
/// It goes through the same stages as any call of its channel. If the body breaks off, the channel's interceptors, such as
/// `RetryPolicy`, decide whether the rest is requested, up to the channel's limit on attempts; an attempt with at least a
/// mebibyte of progress begins a new count. Each request has the timeouts of its endpoint, of which
/// ``/CoreAPI/Timeout/total`` ends with the head.
///
/// Releasing the download cancels it.
public final class Download: Transfer {
    /// Where the file will be.
    public let file: URL
    private let dispatcher: any Dispatcher
    private let options: DownloadOptions
    private let control: DownloadControl

    init(_ dispatcher: any Dispatcher, _ endpoint: any Endpoint, to file: URL, _ options: DownloadOptions) {
        self.dispatcher = dispatcher
        self.file = file
        self.options = options
        control = DownloadControl(endpoint)
        start()
    }

    deinit {
        control.cancel()
    }

    private func start() {
        let run = DownloadRun(dispatcher, to: file, options, control)
        control.start { await run.outcome() }
    }

    /// The file, at the end. Cancelling the waiting task cancels the download.
    ///
    /// - Throws: the reason why there is no file. ``/CoreAPI/APIClientError/underlyingError`` may be a ``DownloadError``.
    public var value: DownloadedFile {
        get async throws(APIClientError) {
            let outcome = await withTaskCancellationHandler {
                await control.finished()
            } onCancel: {
                control.cancel()
            }
            return try outcome.get()
        }
    }

    /// How far the download is, from now to its end. A slow reader misses values, but never the last.
    public var progress: ProgressUpdates { ProgressUpdates(download: self, updates: control.updates()) }

    /// The same as Foundation's `Progress`, always the same object. It can be cancelled, paused and resumed.
    public var foundationProgress: Progress {
        control.foundationProgress {
            let progress = Progress(totalUnitCount: -1)
            (progress.isCancellable, progress.isPausable) = (true, true)
            progress.cancellationHandler = { [weak self] in self?.cancel() }
            progress.pausingHandler = { [weak self] in self?.pause() }
            progress.resumingHandler = { [weak self] in self?.resume() }
            return progress
        }
    }

    /// Whether the download is paused.
    public var isPaused: Bool { control.isPaused }

    /// Stops the transfer until ``resume()``. If the rest can be requested later, the connection is released. Otherwise it is
    /// kept, and the server waits.
    public func pause() {
        control.pause()
    }

    /// Continues after a pause, or starts again after a failure or a cancellation, with the bytes that are there.
    public func resume() {
        resume(with: nil)
    }

    /// As ``resume()``, from another address of the same bytes: a fresh signed address. Its validator decides whether they are
    /// the same.
    public func resume(with endpoint: some Endpoint) {
        resume(with: endpoint as any Endpoint)
    }

    private func resume(with endpoint: (any Endpoint)?) {
        guard !control.resume(with: endpoint), !control.isWhole else { return }
        start()
    }

    /// Ends the transfer; ``value`` then throws ``/CoreAPI/APIClientError/cancelled(_:)``. The bytes stay for a later
    /// download unless ``DownloadOptions/resumes`` is `false`. May be called twice, and after the end.
    public func cancel() {
        control.cancel()
    }

    /// Removes the bytes that an interrupted download of a file has kept.
    ///
    /// - Throws: ``DownloadError``, also if a download writes them.
    public static func discardPart(of file: URL) throws(DownloadError) {
        try PartFile(beside: file.path).discard()
    }
}

/// How far a download is; see ``Download/progress``. Keeps the download.
public struct ProgressUpdates: AsyncSequence, Sendable {
    let download: Download
    let updates: AsyncStream<TransferProgress>

    public struct AsyncIterator: AsyncIteratorProtocol {
        let download: Download
        var updates: AsyncStream<TransferProgress>.Iterator

        /// The newest value, or `nil` after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferProgress? {
            await updates.next(isolation: actor)
        }

        /// As ``next(isolation:)``.
        public mutating func next() async -> TransferProgress? {
            await next(isolation: #isolation)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(download: download, updates: updates.makeAsyncIterator())
    }
}

/// A file that is whole and verified.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public let url: URL
    /// Status and fields of the last answer: 206 (Partial Content) after an interruption.
    public let head: ResponseHead
    /// In bytes.
    public let length: Int64
    /// The digests that were verified or computed.
    public let digests: [ContentDigest]
    /// The bytes of an earlier download that were continued.
    public let reused: Int64
}

extension Dispatcher {
    /// Downloads a file. The download begins at once and ends when it is released.
    ///
    /// ```swift
    /// let export = try await manager.download(.get("export.csv"), to: file).value
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: the request; only a GET can be continued.
    ///   - file: its folder must exist. An existing file stays until the new one is whole, and then gives it its permissions.
    ///   - options: how; by default resumable, one request at a time.
    public func download(_ endpoint: some Endpoint, to file: URL, _ options: DownloadOptions = DownloadOptions()) -> Download {
        Download(self, endpoint, to: file, options)
    }
}

extension NetworkManager {
    /// As `download(_:to:_:)`, for the feature's own endpoints by leading dot.
    public func download(
        endpoint: EndpointItem, to file: URL, _ options: DownloadOptions = DownloadOptions()
    ) -> Download {
        Download(self, endpoint, to: file, options)
    }
}
