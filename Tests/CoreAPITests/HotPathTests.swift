import TestSupport

@testable import CoreAPICore

/// Counts the allocations of a call, without a clock. A library that the dynamic linker loads before the system's counts
/// `malloc` in a separate process. The bounds are for an unoptimised build, a tenth above the counted ones; an optimised build
/// needs 5 over memory.
@Suite("The hot path", .closing, .enabled(if: Allocations.canBeCounted))
struct HotPathTests {
    private struct Passing: RequestEnhancer, RequestInterceptor {
        func enhance(_ request: inout Request) { request.timeout.idle += .zero }
        func adapt(_ request: inout Request) async throws {}
        func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult { .doNotRetry }
    }

    private struct Memory: Transport {
        let body = Body.bytes(Data(repeating: 65, count: 1_024))
        func send(_ attempt: Attempt) async -> RawResponse { RawResponse(attempt, head: ResponseHead(status: .ok), body: body) }
    }

    @Test("The counter's own process: ten enhancers and three interceptors over memory", .enabled(if: Allocations.counter != nil))
    func pipeline() async throws {
        var channel = Channel.test(transport: Memory())
        channel.enhancers = Array(repeating: Passing(), count: 10)
        channel.interceptors = Array(repeating: Passing(), count: 3)
        let manager = channel.manager
        try await Allocations.report("pipeline") {
            _ = try await manager.response(for: TestEndpoint("orders/list"), as: .data).value
        }
    }

    @Test("The counter's own process: a small response over loopback", .enabled(if: Allocations.counter != nil))
    func exchange() async throws {
        let server = try await NginxServer(http2: false)
        let manager = Channel.test("http://127.0.0.1:\(server.plainPort)/").manager
        try await Allocations.report("exchange") {
            _ = try await manager.response(for: TestEndpoint("connection"), as: .data).value
        }
    }

    @Test("The counter's own process: a small object", .enabled(if: Allocations.counter != nil))
    func decoding() async throws {
        struct Small: Decodable { let id: Int; let name: String; let price: Double; let isActive: Bool; let note: String? }
        let document = Data(#"{"id":1,"name":"a short one","price":12.5,"isActive":true,"note":null}"#.utf8)
        try await Allocations.report("decoding") { _ = try BodyCoder.json.decode(Small.self, from: document) }
    }

    @Test("allocates at most as much as the recorded bounds", .enabled(if: Allocations.counter == nil))
    func allocations() async throws {
        let counted = try await Allocations.count(filter: "HotPathTests")
        print("allocations a call:", counted)
        #expect(try #require(counted["pipeline"]) <= 32)
        #expect(try #require(counted["exchange"]) <= 256)
        #expect(try #require(counted["decoding"]) <= 3)
    }
}

/// Counts calls of `malloc` and related functions.
private enum Allocations {
    typealias Counter = @convention(c) () -> Int

    /// The sanitizers have their own `malloc`, and only the GNU linker can preload a library this way.
    static var canBeCounted: Bool {
        #if os(Linux)
        !Sanitizer.isOn
        #else
        false
        #endif
    }

    static var counter: Counter? { dlsym(nil, "kit_allocations").map { unsafeBitCast($0, to: Counter.self) } }

    /// Prints the allocations per call, after one-time ones.
    static func report(_ name: String, _ call: () async throws -> Void) async throws {
        let counter = try #require(counter)
        for _ in 0..<50 { try await call() }
        let before = counter()
        for _ in 0..<100 { try await call() }
        print("counted \(name) \((counter() - before) / 100)")
    }

    /// Runs tests of this program with the counting library.
    static func count(filter: String) async throws -> [String: Int] {
        let (source, path) = (temporaryFile("count.c").path, temporaryFile("count.so").path)
        try library.write(toFile: source, atomically: true, encoding: .utf8)
        try #require(try await Program.run(["clang", "-O1", "-shared", "-fPIC", "-o", path, source]).status == 0)
        var environment = ProcessInfo.processInfo.environment
        environment["LD_PRELOAD"] = path
        let outcome = try await Program.run(
            [CommandLine.arguments[0], "--testing-library", "swift-testing", "--no-parallel", "--filter", filter],
            environment: environment, capturesErrors: true)
        try #require(outcome.status == 0, "\(outcome.text)")
        var counted: [String: Int] = [:]
        for line in outcome.text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == "counted" { counted[String(words[1])] = Int(words[2]) }
        }
        return counted
    }

    private static let library = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdatomic.h>
        #include <stddef.h>
        extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
        static atomic_long count;
        long kit_allocations(void) { return count; }
        void *malloc(size_t size) { count++; return __libc_malloc(size); }
        void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
        void *realloc(void *block, size_t size) { count++; return __libc_realloc(block, size); }

        """
}
