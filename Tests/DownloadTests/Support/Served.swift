import CoreAPITransfers
import TestSupport

/// A file of a server, and the server's support for ranges.
struct Served: Sendable {
    typealias Step = ServerReply.Step

    var bytes: Data
    var tag: String? = #""one""#
    var headers: HeaderLines = ["Accept-Ranges": "bytes"]
    var knowsRanges = true
    var checksIfRange = true
    var namesDigest = false { didSet { if namesDigest, cached == nil { cached = Self.digest(of: bytes) } } }
    /// Computed once: it takes milliseconds without optimisation.
    private var cached: String?

    /// - Parameter seed: selects the bytes.
    init(_ count: Int, seed: UInt64 = 1, _ change: (inout Served) -> Void = { _ in }) {
        bytes = .noise(count, seed: seed)
        change(&self)
    }

    var digest: String { cached ?? Self.digest(of: bytes) }

    static func digest(of bytes: Data) -> String { "sha-256=:\(Data(SHA256.hash(bytes)).base64EncodedString()):" }

    /// - Parameter count: the number of body bytes before the cut; `nil` for all.
    func reply(_ request: ReceivedRequest, sending count: Int? = nil, then cut: Step = .closeConnection) -> ServerReply {
        var headers = headers
        if let tag { headers.append("ETag", tag) }
        if namesDigest { headers.append("Repr-Digest", digest) }
        let range = asked(by: request)
        if let range, range.isEmpty {
            headers.append("Content-Range", "bytes */\(bytes.count)")
            return .status(416, headers: headers)
        }
        let part = range.map { bytes[$0] } ?? bytes
        if let range { headers.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)") }
        headers.append("Content-Length", "\(part.count)")
        let head = Step.sendHead(status: range == nil ? 200 : 206, headers: headers)
        guard let count, count < part.count else { return [head, .sendBody(Data(part))] }
        return [head, .sendBody(Data(part.prefix(count))), cut]
    }

    /// A server that answers the first requests with as many bytes, and the others with the whole.
    func server(cut counts: Int..., then cut: Step = .closeConnection) throws -> LoopbackServer {
        let turn = Shared(0)
        return try LoopbackServer.test { reply($0, sending: counts.dropFirst(turn.next()).first, then: cut) }
    }

    /// The requested range; empty if it begins after the end; `nil` for the whole file.
    private func asked(by request: ReceivedRequest) -> Range<Int>? {
        guard knowsRanges, let text = request.headers["range"], let match = text.firstMatch(of: /^bytes=(\d+)-(\d*)$/),
            let first = Int(match.output.1)
        else { return nil }
        if checksIfRange, let condition = request.headers["if-range"], condition != tag, condition != headers["Last-Modified"] {
            return nil
        }
        guard first < bytes.count else { return 0..<0 }
        return first..<min(Int(match.output.2).map { $0 + 1 } ?? bytes.count, bytes.count)
    }
}

final class Folder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("downloads-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }

    /// Downloads the server's file to ``export``, on a channel of its own.
    func download(
        from server: LoopbackServer, retries: Bool = false, _ options: DownloadOptions = DownloadOptions()
    ) -> Download { Channel.loopback(server, retries: retries).manager.download(.export, to: export, options) }

    /// Begins a download that breaks off.
    @discardableResult
    func interrupt(_ server: LoopbackServer, _ options: DownloadOptions = DownloadOptions()) async -> APIClientError? {
        await interrupt(.loopback(server), options)
    }

    @discardableResult
    func interrupt(_ channel: Channel, _ options: DownloadOptions = DownloadOptions()) async -> APIClientError? {
        let error = await channel.manager.download(.export, to: export, options).failure
        #expect(error != nil)
        return error
    }

    var exported: Data { get throws { try Data(contentsOf: export) } }

    var export: URL { file("export.bin") }
    var part: URL { file("export.bin.part") }
    var sidecar: URL { file("export.bin.part.json") }
}

extension Channel {
    static func loopback(_ server: LoopbackServer, retries: Bool = false, _ change: (inout Channel) -> Void = { _ in }) -> Channel
    {
        .test(server) { channel in
            channel.modifiers = [Timeout(idle: .seconds(5))]
            if retries { channel.interceptors = [RetryPolicy(attempts: 5, base: .milliseconds(1))] }
            change(&channel)
        }
    }
}

extension Endpoint where Self == GET<Void, Void> {
    static var export: Self { .get("export", name: "export") }
}

extension Download {
    var failure: APIClientError? {
        get async {
            do {
                _ = try await value
                return nil
            } catch { return error }
        }
    }
}

extension APIClientError {
    var download: DownloadError? { (rejection ?? underlyingError) as? DownloadError }
    /// The system's code for a file that cannot be written.
    var writeCode: Int32? { if case .cannotWrite(_, let code, _) = download { code } else { nil } }
}

extension LoopbackServer {
    var ranges: [String?] { requests.map { $0.headers["range"] } }
}

extension ServerReply {
    /// This reply, whose body waits after some bytes.
    func halting(after count: Int, until gate: Gate) -> ServerReply {
        ServerReply(
            steps.flatMap { step -> [Step] in
                guard case .sendBody(let data) = step else { return [step] }
                return [.sendBody(data.prefix(count)), .waitFor(gate), .sendBody(data.dropFirst(count))]
            })
    }

    /// A 206 of the file "one".
    static func part(_ range: String?, _ body: Data, tag: String = #""one""#, _ headers: HeaderLines = [:]) -> ServerReply {
        var headers = headers
        headers.append("ETag", tag)
        if let range { headers.append("Content-Range", range) }
        return .status(206, body: body, headers: headers)
    }
}
