import CoreAPI
import CoreAPILock
import CoreAPITesting
import Foundation
import Programs
import Synchronization
import Testing

@testable import CoreAPICore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The memory of bodies of any size, measured in a separate process: this program again, with one test.
@Suite("Memory of streams", .timeLimit(.minutes(5)))
struct StreamMemoryTests {
    private static let variable = "NETWORKERKIT_MEASURES_STREAMS"
    private static let isMeasuring = ProcessInfo.processInfo.environment[variable] != nil
    private static let bound = 16 << 20

    @Test(
        "10 GiB down and 2 GiB up each grow the process by less than 16 MiB", .enabled(if: isPossible), arguments: ["down", "up"])
    func growth(direction: String) async throws {
        let (moved, growth) = try await measure(direction)
        #expect(moved == (direction == "down" ? 10 << 30 : 2 << 30))
        #expect(growth < Self.bound)
    }

    @Test("The measured process", .enabled(if: isMeasuring))
    func measured() async throws {
        let direction = ProcessInfo.processInfo.environment[Self.variable] ?? ""
        let (moved, growth) =
            switch direction {
            case "down": try await download()
            case "up": try await upload()
            case "bomb": try await bomb()
            default: try await paused(secure: direction == "paused-TLS")
            }
        print("measured \(direction) \(moved) \(growth)")
    }

    private static let isPossible =
        !isMeasuring && FileManager.default.fileExists(atPath: "/proc/self/status") && !Sanitizer.isOn

    /// - Returns: the numbers that the separate process reports.
    private func measure(_ direction: String) async throws -> (moved: Int, growth: Int) {
        var environment = ProcessInfo.processInfo.environment
        environment[Self.variable] = direction
        let outcome = try await Program.run(
            [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "StreamMemoryTests"],
            environment: environment, capturesErrors: true)
        let line = outcome.text.split(separator: "\n").first { $0.hasPrefix("measured \(direction) ") }
        let words = try #require(line, "\(outcome.text)").split(separator: " ").compactMap { Int($0) }
        print("a stream \(direction): \(words[0] >> 20) MiB moved, grown by \(words[1] >> 10) KiB")
        return (words[0], words[1])
    }

    @Test("each body that its reader holds costs less than 1 MiB", .enabled(if: isPossible), arguments: ["paused", "paused-TLS"])
    func held(direction: String) async throws {
        let (_, growth) = try await measure(direction)
        #expect(growth < Self.heldBodies << 20)
    }

    @Test("a compressed body of 512 MiB grows the process by less than 16 MiB, held or read", .enabled(if: isPossible))
    func bombs() async throws {
        let (moved, growth) = try await measure("bomb")
        #expect(moved == 512 << 20)
        #expect(growth < Self.bound)
    }

    private static let heldBodies = 100

    /// Bodies that the server could send without an end, of which each reader takes one chunk.
    private func paused(secure: Bool) async throws -> (Int, Int) {
        let piece = Data(repeating: 0x61, count: 1 << 14)
        let server = try LoopbackServer.start(tls: secure ? ServerTLS() : nil) { request in
            guard request.path == "/large" else { return .ok("small") }
            return [.sendHead(status: 200, headers: ["Content-Length": "99999999999"]), .sendEndlessly(piece)]
        }
        var channel = Channel.test(server.url)
        if let tls = server.tls {
            channel.environment.serverTrustManager = ServerTrustManager(authorities: .pem(tls.authorityPEM))
        }
        let manager = channel.manager()
        func small() async throws {
            for _ in 0..<20 {
                #expect(try await manager.response(for: TestEndpoint("small"), as: .text).value == "small")
            }
        }
        try await small()
        let before = Memory.resident
        var readers: [Body.AsyncIterator] = []
        var moved = 0
        for _ in 0..<Self.heldBodies {
            var reader = try await manager.stream(TestEndpoint("large")).value.makeAsyncIterator()
            moved += try await reader.next()?.count ?? 0
            readers.append(reader)
        }
        try await small()
        // As long as a loop that is not stopped takes to fill some hundred MiB.
        try await Task.sleep(for: .milliseconds(500))
        let growth = Memory.resident - before
        withExtendedLifetime(readers) {}
        readers = []
        await channel.close()
        return (moved, growth)
    }

    private func bomb() async throws -> (Int, Int) {
        let server = try LoopbackServer.start { request in
            .gzipBomb(decodedBytes: request.path == "/large" ? 512 << 20 : 1 << 20)
        }
        let channel = Channel.test(server.url)
        let manager = channel.manager()
        // The buffers of the decoder and of the server.
        for _ in 0..<3 {
            for try await _ in try await manager.stream(TestEndpoint("small")).value {}
        }
        let before = Memory.resident
        var reader = try await manager.stream(TestEndpoint("large")).value.makeAsyncIterator()
        var moved = try await reader.next()?.count ?? 0
        try await Task.sleep(for: .milliseconds(500))
        var peak = Memory.resident
        while let chunk = try await reader.next() {
            if (moved >> 24) != ((moved + chunk.count) >> 24) { peak = max(peak, Memory.resident) }
            moved += chunk.count
        }
        await channel.close()
        return (moved, peak - before)
    }

    private func download() async throws -> (Int, Int) {
        let size = 10 << 30
        let piece = Data(repeating: 0x61, count: 1 << 20)
        let server = try LoopbackServer.start { request in
            guard request.path == "/large" else { return .ok() }
            return [.sendHead(status: 200, headers: ["Content-Length": "\(size)"]), .sendEndlessly(piece)]
        }
        let channel = Channel.test(server.url)
        try await channel.manager().request(endpoint: TestEndpoint("small"))
        let before = Memory.resident
        var (moved, peak) = (0, before)
        for try await chunk in try await channel.manager().stream(TestEndpoint("large")).value {
            if (moved >> 26) != ((moved + chunk.count) >> 26) { peak = max(peak, Memory.resident) }
            moved += chunk.count
        }
        await channel.close()
        return (moved, peak - before)
    }

    private func upload() async throws -> (Int, Int) {
        let (size, pieceSize) = (2 << 30, 1 << 18)
        let server = try SinkServer()
        let channel = Channel.test(server.url)
        let manager = NetworkManager<UploadEndpoint>(channel: channel)
        try await manager.request(endpoint: UploadEndpoint(body: .bytes(Data(count: pieceSize))))
        let before = Memory.resident
        let peak = Mutex(before)
        let left = Mutex(size / pieceSize)
        let body = BodyStream(length: Int64(size)) {
            AsyncStream {
                let count = left.withLock { left in
                    left -= 1
                    return left
                }
                if count.isMultiple(of: 256) { peak.withLock { $0 = max($0, Memory.resident) } }
                // Memory of its own, so that chunks in a queue would show.
                return count < 0 ? nil : Data(repeating: 0x62, count: pieceSize)
            }
        }
        try await manager.request(endpoint: UploadEndpoint(body: .stream(body)))
        await channel.close()
        return (server.received - pieceSize, peak.withLock { $0 } - before)
    }
}

private enum Memory {
    /// Resident bytes of the process.
    static var resident: Int {
        guard let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ") else { return 0 }
        return (Int(pages[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

enum Sanitizer {
    /// A sanitizer keeps freed memory.
    static var isOn: Bool { dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil }
}

/// Reads requests and discards their bodies.
private final class SinkServer: Sendable {
    private let listener: Int32
    private let count = Atomic(0)
    let url: String

    /// The bytes of all bodies.
    var received: Int { count.load(ordering: .acquiring) }

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard isReady else { throw POSIXError(.EADDRNOTAVAIL) }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                while serve(connection) {}
                close(connection)
            }
        }
    }

    deinit {
        close(listener)
    }

    /// - Returns: whether a request arrived.
    private func serve(_ connection: Int32) -> Bool {
        var head = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while head.range(of: Data("\r\n\r\n".utf8)) == nil {
            let read = recv(connection, &buffer, 1, 0)
            guard read > 0 else { return false }
            head += buffer[..<read]
        }
        let text = String(decoding: head, as: UTF8.self).lowercased()
        var left = text.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.output.1) } ?? 0
        while left > 0 {
            let read = recv(connection, &buffer, min(left, buffer.count), 0)
            guard read > 0 else { return false }
            left -= read
            count.add(read, ordering: .releasing)
        }
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        return send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count
    }
}
