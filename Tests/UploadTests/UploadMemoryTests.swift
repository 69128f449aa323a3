import CoreAPITransfers
import TestSupport

/// The memory of uploads of any size, measured in a separate process: this program again, with one test.
///
/// Every run moves 64 MiB, four times the bound. `NETWORKERKIT_WHOLE_SIZE=1` moves 2 GiB.
@Suite("Memory of uploads", .closing, .timeLimit(.minutes(10)))
struct UploadMemoryTests {
    private static let variable = "NETWORKERKIT_MEASURES_UPLOADS"
    private static let order = ProcessInfo.processInfo.environment[variable]
    private static let isComplete = ProcessInfo.processInfo.environment["NETWORKERKIT_WHOLE_SIZE"] != nil
    private static let size = isComplete ? 2 << 30 : 64 << 20

    @Test(
        "one body of any size grows the process by less than 16 MiB", .enabled(if: order == nil && Memory.isMeasurable),
        arguments: ["file", "sequence", "form", "resumable-file", "resumable-sequence"], ["HTTP/1.1", "HTTP/2"])
    func growth(source: String, version: String) async throws {
        let outcome = try await Program.tests(of: "UploadMemoryTests", [Self.variable: "\(source) \(version)"])
        let numbers = outcome.numbers(after: "measured \(version) ")
        try #require(numbers.count == 2, "\(outcome.text)")
        print("up from a \(source), \(version): \(numbers[0] >> 20) MiB moved, grown by \(numbers[1] >> 10) KiB")
        #expect(numbers[0] == Self.size && numbers[1] < 16 << 20)
    }

    @Test("The measured process", .enabled(if: order != nil))
    func measured() async throws {
        let words = try #require(Self.order).split(separator: " ").map(String.init)
        let (received, version) = (Shared(0), Shared(""))
        let tls = words[1] == "HTTP/2" ? try ServerTLS() : nil
        let server = try LoopbackServer.start(tls: tls, bodyLimit: 0, keepsRequests: false) { request in
            received.change { $0 += request.bodyLength }
            version.change { $0 = request.version }
            let offset = (request.headers["Upload-Offset"].flatMap { Int($0) } ?? 0) + request.bodyLength
            return .status(
                request.method == "POST" ? 201 : 200, headers: ["Location": "/files/1", "Upload-Offset": "\(offset)"])
        }
        let channel = Channel.test(server)
        let pieceSize = 1 << 18
        try await channel.manager.upload(.put("a"), from: .bytes(Data(count: pieceSize))).value
        received.change { $0 = 0 }
        let file = try TemporaryFile(Data())
        #expect(truncate(file.url.path, off_t(Self.size)) == 0)
        let taken = Shared(0)
        // Of unknown length, so over HTTP/1.1 it is chunked.
        let sequence = Body.Stream {
            AsyncStream {
                // Memory of its own, so that chunks in a queue would show.
                taken.next() >= Self.size / pieceSize ? nil : Data(repeating: 0x62, count: pieceSize)
            }
        }
        let form = try MultipartForm([.file("a", file.url)]).body()
        let body = words[0] == "form" ? form : words[0].hasSuffix("file") ? .file(file.url) : .stream(sequence)
        let before = Memory.resident
        let upload =
            words[0].hasPrefix("resumable")
            ? channel.manager.upload(.post("a"), from: body, resumable: ResumableUpload(.tus))
            : channel.manager.upload(.put("a"), from: body)
        var peak = before
        var seen: Int64 = 0
        for await progress in upload.progress where progress.completed >> 22 != seen >> 22 {
            seen = progress.completed
            peak = max(peak, Memory.resident)
        }
        try await upload.value
        let frame = words[0] == "form" ? Int(form.length ?? 0) - Self.size : 0
        print("measured \(version.current) \(received.current - frame) \(peak - before)")
    }
}
