import TestSupport

/// A file of a server, and the server's support for ranges.
struct Served: Sendable {
    var bytes: Data
    /// `nil` for none.
    var tag: String? = #""one""#
    var headers: HeaderLines = ["Accept-Ranges": "bytes"]
    var knowsRanges = true
    var checksIfRange = true
    var namesDigest = false {
        didSet { if namesDigest, cached == nil { cached = Self.digest(of: bytes) } }
    }
    /// Computed once: it takes milliseconds without optimisation.
    private var cached: String?

    /// How a body breaks off.
    enum Cut: CaseIterable {
        case closing, resetting, stalling

        var step: ServerReply.Step {
            switch self {
            case .closing: .closeConnection
            case .resetting: .reset
            case .stalling: .stall
            }
        }
    }

    /// - Parameter seed: selects the bytes.
    init(_ count: Int, seed: UInt64 = 1) {
        bytes = .noise(count, seed: seed)
    }

    var digest: String { cached ?? Self.digest(of: bytes) }

    private static func digest(of bytes: Data) -> String { "sha-256=:\(Data(SHA256.hash(bytes)).base64EncodedString()):" }

    /// - Parameters:
    ///   - count: the number of body bytes to send; `nil` for all.
    ///   - cut: the end of the body after these bytes.
    func reply(_ request: ReceivedRequest, sending count: Int? = nil, then cut: Cut = .closing) -> ServerReply {
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
        let head = ServerReply.Step.sendHead(status: range == nil ? 200 : 206, headers: headers)
        guard let count, count < part.count else { return [head, .sendBody(Data(part))] }
        return [head, .sendBody(Data(part.prefix(count))), cut.step]
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

/// A folder that is removed at the end.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("downloads-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

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
