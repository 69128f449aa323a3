import CoreAPITransfers
import TestSupport

/// A server for resumable uploads, by tus or the draft. A test chooses where its connections are cut.
///
/// It stores every byte that it reads, so a byte that is sent twice appears twice.
final class ResumableServer: Sendable {
    struct Received: Sendable {
        var method: String
        var target: String
        var fields: [String: String]
    }

    struct State: Sendable {
        let dialect: ResumableUpload.Dialect
        let resetting: Bool
        let location: String
        let limit: String?
        var cuts: [Int]
        var uploads: [String: Data] = [:]
        var lengths: [String: Int] = [:]
        var complete: Set<String> = []
        var requests: [Received] = []
        /// Whether the next connection is cut after the request is handled, before its response.
        var swallowsAnswer = false
        var scripted: [String: [(Int, [String: String])]] = [:]
        var appended = 0
        /// Whether the server damages a bit of the next piece on its way.
        var damagesPiece = false
        var connections = 0
    }

    let state: Shared<State>
    private let server: RawServer
    var url: String { server.url }

    init(
        _ dialect: ResumableUpload.Dialect, resetting: Bool = true, location: String = "/files/1", limit: String? = nil,
        cuts: [Int] = []
    ) throws {
        let state = Shared(State(dialect: dialect, resetting: resetting, location: location, limit: limit, cuts: cuts))
        self.state = state
        server = try RawServer { connection in
            state.change { $0.connections += 1 }
            defer { state.change { $0.connections -= 1 } }
            while !connection.isClosed, let head = connection.head() {
                Exchange(connection: connection, head: head, state: state, server: state.current).serve()
            }
        }
    }

    var data: Data { state.current.uploads["/files/1"] ?? Data() }
    var requests: [Received] { state.current.requests }

    func script(_ method: String, _ answers: [(Int, [String: String])]) { state.change { $0.scripted[method] = answers } }

    func script(_ method: String, _ status: Int, _ fields: [String: String] = [:], times: Int = 1) {
        script(method, Array(repeating: (status, fields), count: times))
    }

    func count(_ method: String) -> Int { requests.count { $0.method == method } }
}

private struct Exchange {
    let connection: RawServer.Connection
    let head: RawServer.Head
    let state: Shared<ResumableServer.State>
    /// What the server is; its uploads are in ``state``.
    let server: ResumableServer.State

    private var isTus: Bool { server.dialect == .tus }

    func serve() {
        state.change { $0.requests.append(.init(method: head.method, target: head.target, fields: head.fields)) }
        let scripted = state.take { state in
            guard var answers = state.scripted[head.method], !answers.isEmpty else { return nil as (Int, [String: String])? }
            let answer = answers.removeFirst()
            state.scripted[head.method] = answers
            return answer
        }
        if let scripted {
            guard readBody() else { return }
            return connection.answer(scripted.0, scripted.1)
        }
        switch head.method {
        case "POST": create()
        case "HEAD": report()
        case "PATCH": append()
        case "DELETE":
            state.change { $0.uploads[head.target] = nil }
            answer(204)
        default: connection.answer(405)
        }
    }

    /// Answers with the fields of every response, too.
    private func answer(_ status: Int, _ fields: [String: String] = [:], _ body: String = "") {
        let version = server.dialect.rawValue.suffix(1).description
        var all = isTus ? ["Tus-Resumable": "1.0.0"] : ["Upload-Draft-Interop-Version": version]
        all["Upload-Limit"] = server.limit
        connection.answer(status, all.merging(fields) { $1 }, body)
    }

    private func create() {
        guard readBody() else { return }
        state.change { state in
            state.uploads["/files/1"] = Data()
            state.lengths["/files/1"] = head.fields["upload-length"].flatMap { Int($0) }
            if isTus, state.lengths["/files/1"] == 0 { state.complete.insert("/files/1") }
        }
        guard !cutsAnswer() else { return }
        answer(201, ["Location": server.location, "Upload-Expires": "Sun, 06 Nov 2094 08:49:37 GMT"])
    }

    private func report() {
        guard let data = state.current.uploads[head.target] else { return answer(404) }
        guard !cutsAnswer() else { return }
        answer(204, facts(data.count))
    }

    private func facts(_ offset: Int) -> [String: String] {
        let isComplete = state.current.complete.contains(head.target)
        var fields = ["Upload-Offset": "\(offset)", "Cache-Control": "no-store"]
        switch server.dialect {
        case .tus: fields["Upload-Length"] = state.current.lengths[head.target].map { "\($0)" }
        case .ietfInterop3: fields["Upload-Incomplete"] = isComplete ? "?0" : "?1"
        default: fields["Upload-Complete"] = isComplete ? "?1" : "?0"
        }
        return fields
    }

    private func append() {
        guard let data = state.current.uploads[head.target] else { return answer(404) }
        guard head.fields["upload-offset"] == "\(data.count)" else {
            guard readBody() else { return }
            return answer(409, facts(data.count))
        }
        let isComplete = readBody { piece in
            state.change { state in
                state.uploads[head.target, default: Data()] += piece
                state.appended += piece.count
            }
        }
        guard isComplete else { return }
        if let checksum = head.fields["upload-checksum"], !hasChecksum(checksum, from: data.count) {
            state.change { $0.uploads[head.target] = data }
            return answer(460)
        }
        let count = state.current.uploads[head.target]?.count ?? 0
        if let length = head.fields["upload-length"] { state.change { $0.lengths[head.target] = Int(length) } }
        let isLast =
            isTus
            ? state.current.lengths[head.target] == count
            : head.fields["upload-complete"] == "?1" || head.fields["upload-incomplete"] == "?0"
        if isLast { state.change { $0.complete.insert(head.target) } }
        guard !cutsAnswer() else { return }
        if isTus { return answer(204, ["Upload-Offset": "\(count)"]) }
        answer(isLast ? 200 : 201, facts(count), isLast ? #"{"bytes":\#(count)}"# : "")
    }

    private func hasChecksum(_ text: String, from start: Int) -> Bool {
        let piece = state.take { state in
            var piece = Data(state.uploads[head.target, default: Data()].dropFirst(start))
            if state.damagesPiece { piece[0] ^= 1 }
            state.damagesPiece = false
            return piece
        }
        let hash: [UInt8]? =
            switch text.prefix(while: { $0 != " " }) {
            case "sha1": Array(SHA1.hash(piece))
            case "sha256": Array(SHA256.hash(piece))
            case "md5": Array(MD5.hash(piece))
            default: nil
            }
        return hash.map { text.hasSuffix(" \(Data($0).base64EncodedString())") } ?? false
    }

    /// - Returns: whether the whole body arrived.
    private func readBody(_ take: (Data) -> Void = { _ in }) -> Bool {
        let cut = state.take { $0.cuts.isEmpty || head.length == 0 ? nil : $0.cuts.removeFirst() }
        var left = head.length
        var room = cut ?? .max
        while left > 0 {
            let piece = room == 0 ? Data() : connection.read(upTo: min(left, room, 65_536))
            guard !piece.isEmpty else {
                connection.cut(resetting: server.resetting)
                return false
            }
            take(piece)
            left -= piece.count
            room -= piece.count
        }
        return true
    }

    private func cutsAnswer() -> Bool {
        let cuts = state.take { state in
            defer { state.swallowsAnswer = false }
            return state.swallowsAnswer
        }
        if cuts { connection.cut(resetting: server.resetting) }
        return cuts
    }
}
