import CoreAPITransfers
import TestSupport

final class TemporaryFile: Sendable {
    let url: URL

    init(_ data: Data) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
        try data.write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

func upload(
    _ body: Body, to url: String, _ options: UploadOptions = UploadOptions(), _ change: (inout Channel) -> Void = { _ in }
) -> Upload<Void> { Channel.test(url, change).manager.upload(.post("a"), from: body, options: options) }

func upload(
    _ body: Body, to url: String, _ plan: ResumableUpload, _ change: (inout Channel) -> Void = { _ in }
) -> Upload<Void> { Channel.test(url, change).manager.upload(.post("a"), from: body, resumable: plan) }

/// The stored states of an upload, oldest first.
typealias States = Shared<[ResumableUpload.State?]>

func plan(
    _ dialect: ResumableUpload.Dialect, continuing state: ResumableUpload.State? = nil, _ states: States? = nil,
    _ change: (inout ResumableUpload) -> Void = { _ in }
) -> ResumableUpload {
    var plan = ResumableUpload(dialect, continuing: state) { state in states?.change { $0.append(state) } }
    plan.pause = .milliseconds(1)
    change(&plan)
    return plan
}

extension Upload {
    var lastProgress: TransferProgress { get async { await progress.reduce(TransferProgress()) { $1 } } }
}

/// A server that reads the head and a part of each body, changes a file, and reads the rest.
func changing(_ file: TemporaryFile, to size: Int, _ wholeBodies: Shared<Int>) throws -> RawServer {
    try RawServer { connection in
        while let head = connection.head() {
            guard head.fields["content-length"] != "0" else {
                connection.answer(201, ["Location": "/files/1", "Tus-Resumable": "1.0.0"])
                continue
            }
            let length = head.fields["content-length"].flatMap { Int($0) } ?? .max
            var left = length - connection.read(upTo: 1_000).count
            truncate(file.url.path, off_t(size))
            while left > 0, case let piece = connection.read(upTo: 65_536), !piece.isEmpty { left -= piece.count }
            if left == 0 { _ = wholeBodies.next() }
            connection.answer(204, ["Upload-Offset": "\(length - left)", "Tus-Resumable": "1.0.0"])
        }
    }
}
