public import CoreAPIHTTP

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
    static let mostPartialAnswers = 256

    /// Makes options with the default values.
    public init() {}

    /// The default options, changed: `.init { $0.parts = 4 }`.
    public init(_ change: (inout DownloadOptions) -> Void) {
        change(&self)
    }
}
