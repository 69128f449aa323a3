/// How a file is downloaded.
public struct DownloadOptions: Sendable {
    /// Whether an interrupted download keeps its bytes, in `NAME.part` with `NAME.part.json` beside the file, and a later one
    /// continues them. Needs a server with ranges and a strong validator. Default `true`. If `false`, a failure leaves no file,
    /// and an earlier part is removed.
    public var resumes = true
    /// Digests that the file must have, besides those that the server names. Default none.
    public var digests: [ContentDigest] = []
    /// Digests to compute in any case; ``DownloadedFile/digests`` has them. Default none.
    public var computes: Set<ContentDigest.Algorithm> = []
    /// Requests at once, each for a part of the file. More than one are made only if the server names a length, a strong
    /// validator and `Accept-Ranges: bytes`, and each has at least 64 KiB. Default 1, at most 16.
    public var parts = 1
    /// The largest average speed in bytes per second, of all parts together. Default `nil`, without a limit.
    public var bytesPerSecond: Int?
    /// The largest size of the file in bytes. Default `nil`, without a limit.
    public var sizeLimit: Int64?
    /// Names the file whatever its address, so that a later download with a fresh signed address continues it. Default `nil`: the
    /// address names it, without secrets.
    public var identity: String?

    /// Bytes after which the state is saved, which costs an `fsync`.
    package var saveInterval: Int64 = 8 << 20
    static let mostParts = 16
    static let smallestPart: Int64 = 65_536

    /// Makes options with the default values.
    public init() {}

    /// The default options, changed: `.init { $0.parts = 4 }`.
    public init(_ change: (inout DownloadOptions) -> Void) {
        change(&self)
    }
}
