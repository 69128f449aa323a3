public import CoreAPICore
public import CoreAPIHTTP
public import Foundation

/// A download of a file in progress.
///
/// ```swift
/// let download = manager.download(.get("exports/\(segment: id)"), to: file)
/// for await progress in download.progress { show(progress.fraction) }
/// let export = try await download.value
/// ```
///
/// The download writes the bytes to `NAME.part` beside the file; a name that is too long for that is shortened. It replaces the
/// file when all bytes have arrived and their digests are right: those that the server names (RFC 9530), and those of the
/// options. An interrupted download keeps its bytes. The next download of the same address to the same file continues after them,
/// also in another process; see ``DownloadOptions/resumes``.
///
/// Each request runs through the stages of its channel. If the body breaks off, the channel's interceptors, such as
/// `RetryPolicy`, decide whether to request the rest. The channel's limit on attempts applies; it is counted anew after each MiB
/// of progress. Each request has the timeouts of its endpoint; ``/CoreAPI/Timeout/total`` applies until the head
/// arrives.
///
/// Releasing the download cancels it.
public final class Download: Transfer {
    /// The destination of the file.
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
        control.start { [dispatcher, file, options, control] in
            await DownloadRun(dispatcher, to: file, options, control).outcome()
        }
    }

    /// Waits for the end, and gives the file. Cancelling the waiting task cancels the download.
    ///
    /// - Throws: `APIClientError`, if the download fails. ``/CoreAPI/APIClientError/underlyingError`` may be a ``DownloadError``.
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

    /// The progress from now to the end. A slow reader misses values, but never the last one.
    public var progress: ProgressUpdates { ProgressUpdates(download: self, updates: control.updates()) }

    /// The progress as Foundation's `Progress`, always the same object. It can be cancelled, paused and resumed.
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

    /// Continues after a pause, a failure or a cancellation, with the bytes already on the disk.
    public func resume() {
        resume(with: nil)
    }

    /// As ``resume()``, from another address of the same bytes, such as a fresh signed address. The validators of both responses
    /// decide whether the bytes are the same.
    public func resume(with endpoint: some Endpoint) {
        resume(with: endpoint as any Endpoint)
    }

    private func resume(with endpoint: (any Endpoint)?) {
        guard !control.resume(with: endpoint), !control.isComplete else { return }
        start()
    }

    /// Ends the transfer; ``value`` then throws ``/CoreAPI/APIClientError/cancelled(_:)``. The bytes stay for a later
    /// download, unless ``DownloadOptions/resumes`` is `false`. May be called twice, and after the end.
    public func cancel() {
        control.cancel()
    }

    /// The file of the bytes before the download is complete.
    package static func part(of file: URL) -> URL { URL(fileURLWithPath: PartFile.path(beside: file.path)) }

    /// Removes the bytes that an interrupted download of a file left.
    ///
    /// - Throws: ``DownloadError``; ``DownloadError/busy(path:)`` while a download of the file runs.
    public static func discardPart(of file: URL) throws(DownloadError) {
        try PartFile(beside: file).discard()
    }
}

/// The progress of a download; see ``Download/progress``. Retains the download.
public struct ProgressUpdates: AsyncSequence, Sendable {
    let download: Download
    let updates: AsyncStream<TransferProgress>

    public struct AsyncIterator: AsyncIteratorProtocol {
        let download: Download
        var updates: AsyncStream<TransferProgress>.Iterator

        /// The newest value; `nil` after the last one.
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

/// A complete, verified file.
public struct DownloadedFile: Sendable {
    /// The file's URL.
    public let url: URL
    /// Status and fields of the last response: 206 (Partial Content) after an interruption.
    public let head: ResponseHead
    /// The file's size in bytes.
    public let length: Int64
    /// The digests that were verified or computed.
    public let digests: [ContentDigest]
    /// The number of bytes taken from an earlier download.
    public let reused: Int64
}

extension Dispatcher {
    /// Downloads a file. The download begins at once. Releasing it cancels it.
    ///
    /// ```swift
    /// let export = try await manager.download(.get("export.csv"), to: file).value
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: the request; only a GET can be continued.
    ///   - file: its folder must exist. An existing file stays until the new one is complete, which takes over its permissions.
    ///   - options: by default the download can be resumed, and makes one request at a time.
    public func download(_ endpoint: some Endpoint, to file: URL, _ options: DownloadOptions = DownloadOptions()) -> Download {
        Download(self, endpoint, to: file, options)
    }
}
