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
/// of progress. Each request has the timeouts of its endpoint; ``/CoreAPI/Timeout/total`` applies until the head arrives.
///
/// Releasing the download cancels it.
public final class Download: Transfer {
    /// The destination of the file.
    public let file: URL
    private let control: DownloadControl
    private let foundation = Mutex<Progress?>(nil)

    init(_ dispatcher: any Dispatcher, _ endpoint: any Endpoint, to file: URL, _ options: DownloadOptions) {
        self.file = file
        control = DownloadControl(endpoint) { control in
            await DownloadRun(dispatcher, to: file, options, control).outcome()
        }
        control.run()
    }

    deinit { control.cancel() }

    /// Waits for the end, and gives the file. Cancelling the waiting task cancels the download.
    ///
    /// - Throws: `APIClientError`, if the download fails. ``/CoreAPI/APIClientError/underlyingError`` may be a ``DownloadError``.
    public var value: DownloadedFile {
        get async throws(APIClientError) {
            let outcome = await withTaskCancellationHandler {
                await control.run().value
            } onCancel: {
                control.cancel()
            }
            return try outcome.get()
        }
    }

    /// The progress from now to the end. A slow reader misses values, but never the last one. The sequence retains the download.
    public var progress: some AsyncSequence<TransferProgress, Never> & Sendable {
        control.meter.updates.map { [self] update in withExtendedLifetime(self) { update } }
    }

    /// The progress as Foundation's `Progress`, always the same object. It can be cancelled, paused and resumed.
    public var foundationProgress: Progress {
        foundation.withLock { made in
            if let made { return made }
            let progress = Progress(totalUnitCount: -1)
            (progress.isCancellable, progress.isPausable) = (true, true)
            progress.cancellationHandler = { [weak self] in self?.cancel() }
            progress.pausingHandler = { [weak self] in self?.pause() }
            progress.resumingHandler = { [weak self] in self?.resume() }
            control.meter.mirror(in: progress)
            made = progress
            return progress
        }
    }

    /// Whether the download is paused.
    public var isPaused: Bool { control.isPaused }

    /// Stops the transfer until ``resume()``. If the rest can be requested later, the connection is released. Otherwise it is
    /// kept, and the server waits.
    public func pause() { control.pause() }
    /// Continues after a pause, a failure or a cancellation, with the bytes already on the disk.
    public func resume() { control.resume(with: nil) }
    /// As ``resume()``, from another address of the same bytes, such as a fresh signed address. The validators of both responses
    /// decide whether the bytes are the same.
    public func resume(with endpoint: some Endpoint) { control.resume(with: endpoint) }
    /// Ends the transfer; ``value`` then throws ``/CoreAPI/APIClientError/cancelled(_:)``. The bytes stay for a later download,
    /// unless ``DownloadOptions/resumes`` is `false`. May be called twice, and after the end.
    public func cancel() { control.cancel() }

    /// The file of the bytes before the download is complete.
    package static func part(of file: URL) -> URL { URL(fileURLWithPath: PartFile.path(beside: file.path)) }
    /// Removes the bytes that an interrupted download of a file left.
    ///
    /// - Throws: ``DownloadError``; ``DownloadError/busy(path:)`` while a download of the file runs.
    public static func discardPart(of file: URL) throws(DownloadError) { try PartFile(beside: file).discard() }
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

/// The options of a download.
public struct DownloadOptions: Sendable {
    /// Whether an interrupted download keeps its bytes, in `NAME.part` with `NAME.part.json` beside the file, so that a later
    /// download continues after them. Needs a server with ranges and a strong validator. Default `true`. If `false`, a failure
    /// leaves no file, and an earlier part is removed. A file `NAME.part` without `NAME.part.json` is not the kit's: it stays,
    /// and the download fails with ``DownloadError/cannotWrite(path:code:reason:)``.
    public var resumes = true
    /// Digests that the file must have, besides those that the server names. Default none.
    public var digests: [ContentDigest] = []
    /// Digests to compute in any case; ``DownloadedFile/digests`` contains them. Default none.
    public var computes: Set<ContentDigest.Algorithm> = []
    /// The number of concurrent requests, each for a part of the file. Default 1, at most 16. Several requests need a server that
    /// names a length, a strong validator and `Accept-Ranges: bytes`. Each request is for at least 64 KiB.
    public var parts = 1
    /// The largest average speed in bytes per second, of all parts together. Default `nil`, without a limit.
    public var bytesPerSecond: Int?
    /// The largest size of the file in bytes. Default `nil`, without a limit.
    public var sizeLimit: Int64?
    /// Whether the transport decodes a body with a content coding. Default `false`: the file has the bytes that the server has
    /// stored, for example those of `a.tar.gz`, even if the server calls them `Content-Encoding: gzip`. A decoded file has no
    /// length before its end, is not compared with the server's digests, and is not continued after an interruption. Foundation
    /// decodes in any case, so all of that applies to a coded body over `URLSessionTransport`; a listener hears a warning.
    public var decodes = false
    /// A name for the file that does not depend on its address. So a later download with a fresh signed address continues it.
    /// Default `nil`: the address without secrets is the name.
    public var identity: String?
    /// Whether an earlier part is of no use. It stays until a response begins.
    package var beginsAnew = false
    /// The number of bytes between two saves of the state. Each save costs an `fsync`.
    package var saveInterval: Int64 = 8 << 20
    /// The shortest time between two of them, so that a fast download does not wait for the disk all the time.
    package var savePause = Duration.seconds(1)
    static let mostParts = 16
    static let smallestPart: Int64 = 65_536
    /// For each MiB, if the server sends less than the requested range.
    static let mostPartialResponses = 256

    /// Makes options with the default values.
    public init() {}
    /// The default options, changed: `.init { $0.parts = 4 }`.
    public init(_ change: (inout DownloadOptions) -> Void) { change(&self) }
}

/// A failure of a download outside its exchange: of the file, or of its digest.
///
/// ``/CoreAPI/APIClientError/unknown(_:_:)`` wraps the errors of a file, and ``/CoreAPI/APIClientError/verification(_:_:)`` that
/// of a digest.
public enum DownloadError: Error, Sendable, Hashable, LocalizedError {
    /// The kit cannot write the file or its part: a folder, no permission, a full disk, a URL that names no local file. `code` is
    /// the system's `errno`.
    case cannotWrite(path: String, code: Int32, reason: String)
    /// Another download, perhaps of another process, writes this file.
    case busy(path: String)
    /// The digest of the bytes differs from the one that the server or the caller named. The bytes were removed.
    case digestMismatch(expected: String, found: String)

    public var errorDescription: String? {
        switch self {
        case .cannotWrite(let path, _, let reason): "cannot write '\(path)': \(reason)"
        case .busy(let path): "another download writes '\(path)'"
        case .digestMismatch(let expected, let found): "the file is damaged: expected \(expected), found \(found)"
        }
    }
}
