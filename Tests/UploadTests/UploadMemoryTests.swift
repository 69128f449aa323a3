import CoreAPITransfers
import TestSupport

/// Every run moves 64 MiB, four times the bound. `NETWORKERKIT_WHOLE_SIZE=1` moves 2 GiB.
@Suite("Memory of uploads", .timeLimit(.minutes(10)))
struct UploadMemoryTests {
    private static let size = ProcessInfo.processInfo.environment["NETWORKERKIT_WHOLE_SIZE"] == nil ? 64 << 20 : 2 << 30

    /// In a separate process. A server with TLS has HTTP/2.
    @Test(
        "one body of any size grows the process by less than 16 MiB", .enabled(if: Memory.isMeasurable),
        arguments: ["file", "sequence", "form", "resumable-file", "resumable-sequence"], [false, true])
    func growth(source: String, secure: Bool) async {
        await #expect(processExitsWith: .success) { [source, secure] in
            let (moved, growth, version) = try await UploadMemoryTests.measure(source, secure ? ServerTLS() : nil)
            #expect(moved == UploadMemoryTests.size && growth < 16 << 20 && version == (secure ? "HTTP/2" : "HTTP/1.1"))
        }
    }

    private static func measure(_ source: String, _ tls: ServerTLS?) async throws -> (Int, Int, String) {
        let (received, version) = (Shared(0), Shared(""))
        let server = try LoopbackServer.start(tls: tls, bodyLimit: 0, keepsRequests: false) { request in
            received.change { $0 += request.bodyLength }
            version.change { $0 = request.version }
            let offset = (request.headers["Upload-Offset"].flatMap { Int($0) } ?? 0) + request.bodyLength
            return .status(
                request.method == "POST" ? 201 : 200, headers: ["Location": "/files/1", "Upload-Offset": "\(offset)"])
        }
        let manager = Channel.test(server).manager
        let pieceSize = 1 << 18
        try await manager.upload(.put("a"), from: .bytes(Data(count: pieceSize))).value
        received.change { $0 = 0 }
        let file = try TemporaryFile(Data())
        #expect(truncate(file.url.path, off_t(size)) == 0)
        let taken = Shared(0)
        // Of unknown length, so over HTTP/1.1 it is chunked.
        let sequence = Body.Stream {
            AsyncStream {
                // Memory of its own, so that chunks in a queue would show.
                taken.next() >= size / pieceSize ? nil : Data(repeating: 0x62, count: pieceSize)
            }
        }
        let form = try MultipartForm([.file("a", file.url)]).body()
        let body = source == "form" ? form : source.hasSuffix("file") ? .file(file.url) : .stream(sequence)
        var memory = Growth()
        let upload =
            source.hasPrefix("resumable")
            ? manager.upload(.post("a"), from: body, resumable: ResumableUpload(.tus)) : manager.upload(.put("a"), from: body)
        for await progress in upload.progress { memory.look(after: progress.completed) }
        try await upload.value
        let frame = source == "form" ? Int(form.length ?? 0) - size : 0
        return (received.current - frame, memory.bytes, version.current)
    }
}
