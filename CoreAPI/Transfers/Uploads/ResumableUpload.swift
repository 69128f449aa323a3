public import CoreAPICore
public import Foundation

/// How an upload continues after an interruption, in this process or in another one: by tus 1.0, or by the draft of the IETF,
/// draft-ietf-httpbis-resumable-upload.
///
/// ```swift
/// let resumable = ResumableUpload(.tus, continuing: store.state) { state in store.state = state }
/// let upload = manager.upload(.post("films"), from: .file(film), resumable: resumable)
/// try await upload.value
/// ```
///
/// The first request creates the upload on the server, which answers with its address. From then on each request asks for the
/// server's offset or sends bytes from there. No byte is sent again that the server has acknowledged.
public struct ResumableUpload: Sendable {
    /// The protocol of the server.
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

    /// The hash of each piece that tus sends along (its extension checksum). The server answers 460 for a piece that was damaged,
    /// and the upload sends it again.
    public enum Checksum: String, Sendable, Hashable, CaseIterable {
        /// Every server with the extension knows it.
        case sha1
        /// Where the server offers it.
        case sha256
        /// Where the server offers it.
        case md5
    }

    /// What an app keeps to continue an upload after a restart. It has no credentials. The address may let anybody continue the
    /// upload, so keep it as other data of the user.
    public struct State: Sendable, Hashable, Codable {
        /// The upload's own address.
        public let url: String
        /// The protocol of the server.
        public let dialect: Dialect
        /// The bytes that the server has acknowledged.
        public internal(set) var offset: Int64
        /// The bytes in all; `nil` if they were not known.
        public let length: Int64?
        /// Distinguishes the source from another one, without its content.
        public let source: String
        /// When the server may forget the upload, if it has said so.
        public internal(set) var expires: Date?
        /// The most bytes that the server takes in one request, if it has said so.
        var limit: Int64?
    }

    /// The protocol of the server.
    public var dialect: Dialect
    /// The state to continue; `nil` for a new upload.
    public var state: State?
    /// The most bytes in one request. `nil`, the default: all of a file or of bytes in memory; 1 MiB of a sequence, which is
    /// held in memory; 4 MiB with a checksum.
    public var pieceSize: Int?
    /// The hash of each piece, for tus. Default `nil`.
    public var checksum: Checksum?
    /// What tus tells the server about the upload (`Upload-Metadata`): `filename` and `filetype` are usual.
    public var metadata: [String: String] = [:]
    /// Whether to begin anew if the server has forgotten the upload (404, 410). Default `true`.
    public var startsAnew = true
    /// How often in a row the upload is continued without progress. Default 5.
    public var attempts = 5
    /// The pause before the *n*-th of them is a random part of `pause` · 2ⁿ⁻¹, at most 30 s. Default 500 ms.
    public var pause = Duration.milliseconds(500)
    /// The most bytes that are read in a second; `nil`, the default, for no limit.
    public var bytesPerSecond: Int?
    /// Stores the state, so that a later process can continue.
    let store: @Sendable (State?) async -> Void

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - dialect: the protocol of the server.
    ///   - state: the stored state of an upload to continue; `nil` for a new one.
    ///   - store: gets each new state, before more bytes are sent; `nil` when there is nothing left to continue. Called by the
    ///     upload's task.
    public init(
        _ dialect: Dialect, continuing state: State? = nil, store: @escaping @Sendable (State?) async -> Void = { _ in }
    ) {
        self.dialect = dialect
        self.state = state
        self.store = store
    }
}

extension Dispatcher {
    /// Sends a body that continues after an interruption.
    ///
    /// The value is that of the last answer. With tus that is an answer without a body. Every request of the upload goes through
    /// the channel like any other, with the endpoint's headers and modifiers.
    ///
    /// The upload fails with `TransportError.bodyUnreadable(_:)` around an ``UploadSourceChanged`` if the source is
    /// not that of the state, and with `TransportError.malformedResponse(reason:)` if the server's offset goes back
    /// or beyond the end. The upload's address must have the origin of the endpoint's, because credentials go there.
    ///
    /// - Parameters:
    ///   - endpoint: creates the upload, usually a POST.
    ///   - body: what is sent. A sequence that can be read once continues within this process only.
    ///   - decoding: how the last answer becomes the value.
    ///   - resumable: the protocol, and the state to continue.
    public func upload<Value: Sendable>(
        _ endpoint: some Endpoint, from body: Body, as decoding: ResponseDecoding<Value> = .nothing, resumable: ResumableUpload
    ) -> Upload<Value> {
        Upload { meter in
            await ResumableRun(
                dispatcher: self, endpoint: endpoint, decoding: decoding, plan: resumable, source: UploadSource(body),
                meter: meter
            ).run()
        }
    }

    /// Tells the server to forget an upload. An upload that it has forgotten already is no error.
    ///
    /// - Parameters:
    ///   - state: the upload's.
    ///   - endpoint: the one that created the upload; its headers and modifiers apply.
    public func discard(_ state: ResumableUpload.State, of endpoint: some Endpoint) async throws(APIClientError) {
        let isGone = StatusCodeResponseVerifier(Array(200..<300) + [404, 410])
        let step = UploadStep(
            endpoint, .delete, at: state.url, fields: UploadDialect(state.dialect).common, verifier: isGone)
        try await request(step)
    }
}
