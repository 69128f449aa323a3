import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A process without a free descriptor: this program again, with one test.
@Suite("Without a free descriptor", .closing, .timeLimit(.minutes(1)))
struct DescriptorTests {
    private static let variable = "NETWORKERKIT_USES_UP_DESCRIPTORS"
    private static let isWithout = ProcessInfo.processInfo.environment[variable] != nil

    #if canImport(Glibc)
    private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let descriptors = RLIMIT_NOFILE
    #endif

    @Test("the error names the reason", .enabled(if: !isWithout))
    func error() async throws {
        var environment = ProcessInfo.processInfo.environment
        environment[Self.variable] = "1"
        let outcome = try await Program.run(
            [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "DescriptorTests"],
            environment: environment, capturesErrors: true)
        let line = outcome.text.split(separator: "\n").first { $0.hasPrefix("rejected: ") }
        #expect(try #require(line, "\(outcome.text)").hasSuffix(": \(String(cString: strerror(EMFILE)))"))
    }

    @Test("The process without", .enabled(if: isWithout))
    func process() async throws {
        let (first, second) = (try LoopbackServer.start { _ in .ok() }, try LoopbackServer.start { _ in .ok() })
        let transport = closing(CurlTransport())
        let requests = Requests(transport)
        // From then on the loop has its own descriptors.
        #expect(try await requests.send(.get, first.url).status == 200)
        var taken: [Int32] = []
        var limit = rlimit()
        #expect(getrlimit(Self.descriptors, &limit) == 0)
        limit.rlim_cur = 256
        #expect(setrlimit(Self.descriptors, &limit) == 0)
        while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
        let response = try await requests.send(.get, second.url)
        for descriptor in taken { close(descriptor) }
        guard case .cannotConnect(_, let reason) = response.transportError else {
            return print("rejected otherwise: \(response)")
        }
        print("rejected: cannotConnect: \(reason)")
    }
}
