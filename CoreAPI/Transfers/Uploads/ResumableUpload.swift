public import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPIRedaction
public import Foundation
internal import HTTPTypes

/// Continues an upload after an interruption, in this process or in another one. The server speaks tus 1.0, or the IETF's draft
/// draft-ietf-httpbis-resumable-upload.
///
/// ```swift
/// let resumable = ResumableUpload(.tus, continuing: store.state) { state in store.state = state }
/// let upload = manager.upload(.post("films"), from: .file(film), resumable: resumable)
/// try await upload.value
/// ```
///
/// The first request creates the upload, and the server answers with its address. Each later request asks for the server's
/// offset, or sends bytes from this offset on. Bytes that the server has acknowledged are never sent again.
public struct ResumableUpload: Sendable {
    /// A protocol for resumable uploads.
    public enum Dialect: String, Sendable, Hashable, Codable, CaseIterable {
        /// tus 1.0.0: core, creation, creation-defer-length, checksum, termination, expiration.
        case tus
        /// The draft in the version of most servers: `Upload-Draft-Interop-Version: 6` (04 and 05).
        case ietf = "ietf-6"
        /// `Upload-Draft-Interop-Version: 5` (03).
        case ietfInterop5 = "ietf-5"
        /// `Upload-Draft-Interop-Version: 3` (01).
        case ietfInterop3 = "ietf-3"
    }

    /// The hash that tus adds to each piece (its extension checksum). The server answers 460 for a damaged piece, and the upload
    /// sends it again.
    public enum Checksum: String, Sendable, Hashable, CaseIterable {
        /// SHA-1. Every server with the extension accepts it.
        case sha1
        /// SHA-256, if the server offers it.
        case sha256
        /// MD5, if the server offers it.
        case md5
    }

    /// The state that an app keeps to continue an upload after a restart. It has no credentials. The address alone may suffice to
    /// continue the upload, so protect it like other data of the user.
    public struct State: Sendable, Hashable, Codable {
        /// The upload's own address.
        public let url: String
        /// The protocol of the server.
        public let dialect: Dialect
        /// The number of bytes that the server has acknowledged.
        public internal(set) var offset: Int64
        /// The total number of bytes; `nil` if it was not known.
        public let length: Int64?
        /// A fingerprint of the source, without its content. Bytes: half of their SHA-256. A file: its size, the date of its last
        /// change, and half of the SHA-256 of its first and last 16 KiB. A sequence: its length.
        public let source: String
        /// The bytes of a sequence that were given to the transport; `nil` for another source.
        var sent: SentBytes?
        /// The time after which the server may forget the upload; `nil` if the server named no time.
        public internal(set) var expires: Date?
        /// The largest request that the server accepts, in bytes; `nil` if the server named no limit.
        var limit: Int64?
    }

    /// Identifies the first bytes of a sequence, which nothing identifies before they are read.
    struct SentBytes: Sendable, Hashable, Codable {
        var count: Int64
        /// Half of their SHA-256, in hexadecimal.
        var hash: String
    }

    /// The protocol of the server.
    public var dialect: Dialect
    /// The state to continue; `nil` for a new upload.
    public var state: State?
    /// The maximum number of bytes in one request. Default `nil`: files and bytes go in one request, and a sequence in pieces of
    /// 1 MiB, which are held in memory. With a checksum, files and bytes go in pieces of 4 MiB.
    public var pieceSize: Int?
    /// The hash of each piece, for tus. Default `nil`. The IETF's draft has none: with a hash such an upload fails with
    /// `TransportError.unsupported(capability:)` before its first request.
    public var checksum: Checksum?
    /// Facts about the upload that tus sends to the server (`Upload-Metadata`); `filename` and `filetype` are usual.
    public var metadata: [String: String] = [:]
    /// Whether to begin again if the server has forgotten the upload (404, 410). Default `true`.
    public var startsAnew = true
    /// The allowed number of continuations in a row without progress. Default 5.
    public var attempts = 5
    /// The base of the pauses: the pause before the *n*-th continuation is a random part of `pause` · 2ⁿ⁻¹, at most 30 s. Default
    /// 500 ms. A server's longer `Retry-After` is honoured; if it is as long as the ``/CoreAPI/Timeout/total`` of a request, the
    /// upload fails at once.
    public var pause = Duration.milliseconds(500)
    /// The maximum rate in bytes per second. Default `nil`, without a limit.
    public var bytesPerSecond: Int?
    /// Stores the state, so that a later process can continue.
    let store: @Sendable (State?) async -> Void

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - dialect: the protocol of the server.
    ///   - state: the stored state of an upload to continue; `nil` for a new one.
    ///   - store: receives each new state before the upload sends more bytes; `nil` when no state is left to continue. Called by
    ///     the upload's task.
    public init(
        _ dialect: Dialect, continuing state: State? = nil, store: @escaping @Sendable (State?) async -> Void = { _ in }
    ) { (self.dialect, self.state, self.store) = (dialect, state, store) }
}

extension ResumableUpload.State: CustomStringConvertible, CustomReflectable {
    /// The upload's address, secrets hidden, and how far it is.
    public var description: String {
        let size = length.map { " of \($0)" } ?? ""
        return "upload at \(Redaction().redact(base: url)), \(offset)\(size) bytes".escapingControls
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Dispatcher {
    /// Sends a body that continues after an interruption.
    ///
    /// The value is decoded from the last response, which has no body in tus. Every request of the upload is a call of the
    /// channel, with the endpoint's headers and modifiers.
    ///
    /// If the source is not the state's, the upload sends no byte, and fails with `TransportError.bodyUnreadable(_:)` around an
    /// ``UploadSourceChanged``. The kit reads a sequence again up to the last byte that was sent, and compares the SHA-256.
    ///
    /// If the server's offset goes back or beyond the end, the upload fails with `TransportError.malformedResponse(reason:)`. Its
    /// address must have the endpoint's origin, because the kit sends credentials there.
    ///
    /// - Parameters:
    ///   - endpoint: creates the upload, usually a POST.
    ///   - body: the body. An upload of a sequence that can be read only once continues within this process only.
    ///   - decoding: how the last response becomes the value.
    ///   - resumable: the protocol, and the state to continue.
    public func upload<Value: Sendable>(
        _ endpoint: some Endpoint, from body: Body, as decoding: ResponseDecoding<Value> = .nothing, resumable: ResumableUpload
    ) -> Upload<Value> {
        Upload { meter in
            var run = ResumableRun(
                dispatcher: self, endpoint: endpoint, decoding: decoding, plan: resumable, meter: meter,
                source: UploadSource(body), state: resumable.state)
            return await run.response()
        }
    }

    /// Asks the server to forget an upload. Succeeds if the server has forgotten it already. The headers and modifiers of the
    /// endpoint that created the upload apply.
    public func discard(_ state: ResumableUpload.State, of endpoint: some Endpoint) async throws(APIClientError) {
        let isGone = StatusCodeResponseVerifier(Array(200..<300) + [404, 410])
        try await request(
            TransferEndpoint(step: endpoint, .delete, at: state.url, fields: state.dialect.common, verifier: isGone))
    }
}
