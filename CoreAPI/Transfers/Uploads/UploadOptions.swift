internal import CoreAPICore
internal import HTTPTypes

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
        self.compression = compression
        self.bytesPerSecond = bytesPerSecond
        self.expectsContinue = expectsContinue
    }

    /// An upload may take a day if no level sets a timeout. `Timeout.idle` finds a dead server much earlier.
    static let total = Duration.seconds(86_400)

    func apply(to request: inout Request, _ meter: UploadMeter) throws {
        let length = (try? request.body.knownLength()) ?? nil
        meter.change { $0 = TransferProgress(total: length) }
        if let compression {
            try request.compress(with: compression) { count in meter.change { $0.completed = count } }
        }
        if let bytesPerSecond { request.body = try request.body.paced(bytesPerSecond: bytesPerSecond) }
        if request.modifier(Timeout.self) == nil { request.timeout.total = Self.total }
    }

    /// The modifiers of the call.
    func modifiers(_ meter: UploadMeter) -> [any RequestModifier] {
        var all: [any RequestModifier] = expectsContinue ? [Header("Expect", "100-continue")] : []
        // A compressed body counts the bytes of its source, because their number is known.
        if compression == nil { all.append(SendingObserver { count in meter.change { $0.completed = count } }) }
        return all
    }
}
