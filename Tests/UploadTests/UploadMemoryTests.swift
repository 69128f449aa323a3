import CoreAPI
import CoreAPITransfers
import Foundation
import Programs
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The memory of uploads of any size, measured in a separate process: this program again, with one test.
@Suite("Memory of uploads", .timeLimit(.minutes(5)))
struct UploadMemoryTests {
    private static let variable = "NETWORKERKIT_MEASURES_UPLOADS"
    private static let isMeasuring = ProcessInfo.processInfo.environment[variable] != nil
    private static let isPossible =
        FileManager.default.fileExists(atPath: "/proc/self/statm") && dlsym(nil, "__asan_init") == nil
        && dlsym(nil, "__tsan_init") == nil
    private static let size = 2 << 30

    @Test(
        "2 GiB grow the process by less than 16 MiB", .enabled(if: !isMeasuring && isPossible),
        arguments: ["file", "sequence", "resumable file", "resumable sequence"])
    func growth(source: String) async throws {
        var environment = ProcessInfo.processInfo.environment
        environment[Self.variable] = source
        let outcome = try await Program.run(
            [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "UploadMemoryTests"],
            environment: environment, capturesErrors: true)
        let line = outcome.text.split(separator: "\n").first { $0.hasPrefix("measured ") }
        let words = try #require(line, "\(outcome.text)").split(separator: " ").compactMap { Int($0) }
        print("an upload of a \(source): \(words[0] >> 20) MiB moved, grown by \(words[1] >> 10) KiB")
        #expect(words[0] == Self.size)
        #expect(words[1] < 16 << 20)
    }

    @Test("The measured process", .enabled(if: isMeasuring))
    func measured() async throws {
        let source = ProcessInfo.processInfo.environment[Self.variable] ?? ""
        let received = Shared(0)
        let server = try RawServer { connection in
            while let head = connection.head() {
                var left = head.length
                while left > 0, case let piece = connection.read(upTo: min(left, 1 << 18)), !piece.isEmpty {
                    left -= piece.count
                    received.change { $0 += piece.count }
                }
                let offset = (head.fields["upload-offset"].flatMap { Int($0) } ?? 0) + head.length
                connection.answer(head.method == "POST" ? 201 : 200, ["Location": "/files/1", "Upload-Offset": "\(offset)"])
            }
        }
        let channel = Channel.test(server.url)
        let pieceSize = 1 << 18
        try await channel.manager.upload(.put("a"), from: .bytes(Data(count: pieceSize))).value
        received.change { $0 = 0 }
        let file = try TemporaryFile(Data())
        #expect(truncate(file.url.path, off_t(Self.size)) == 0)
        let left = Shared(Self.size / pieceSize)
        let body: Body =
            source.hasSuffix("file")
            ? .file(file.url)
            : .stream(
                BodyStream(length: Int64(Self.size)) {
                    AsyncStream {
                        let count = left.take { left in
                            left -= 1
                            return left
                        }
                        // Memory of its own, so that chunks in a queue would show.
                        return count < 0 ? nil : Data(repeating: 0x62, count: pieceSize)
                    }
                })
        let before = Self.resident
        let upload =
            source.hasPrefix("resumable")
            ? channel.manager.upload(.post("a"), from: body, resumable: ResumableUpload(.tus))
            : channel.manager.upload(.put("a"), from: body)
        var peak = before
        var seen: Int64 = 0
        for await progress in upload.progress where progress.completed >> 24 != seen >> 24 {
            seen = progress.completed
            peak = max(peak, Self.resident)
        }
        try await upload.value
        print("measured \(received.current) \(peak - before)")
        await channel.close()
    }

    /// Resident bytes of the process.
    private static var resident: Int {
        guard let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ") else { return 0 }
        return (Int(pages[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
