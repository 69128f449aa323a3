internal import CoreAPICore
internal import HTTPTypes

/// How an upload is sent.
public struct UploadOptions: Sendable, Hashable {
    /// The coding in which the body is sent, with a `Content-Encoding`; `nil`, the default, for none.
    public var compression: ContentCoding?
    /// The most bytes of the body that are read in a second, after compression; `nil`, the default, for no limit.
    public var bytesPerSecond: Int?
    /// Whether the server is asked before the body is sent (`Expect: 100-continue`, RFC 9110 §10.1.1). Default `false`.
    ///
    /// The transport waits for a second, then sends. libcurl before 8 does not wait over HTTP/2.
    public var expectsContinue: Bool

    /// Makes options; each part that is left out has its default.
    public init(compression: ContentCoding? = nil, bytesPerSecond: Int? = nil, expectsContinue: Bool = false) {
        self.compression = compression
        self.bytesPerSecond = bytesPerSecond
        self.expectsContinue = expectsContinue
    }

    /// An upload may take a day if no level says how long. `Timeout.idle` finds a dead server much earlier.
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
        // A compressed body counts the bytes of its source instead, because their number is known.
        if compression == nil { all.append(SendingObserver { count in meter.change { $0.completed = count } }) }
        return all
    }
}
