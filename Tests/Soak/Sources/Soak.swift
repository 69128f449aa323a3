import Foundation

@main
struct Soak {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().map { Int($0) }
        guard arguments.count == 3, let requests = arguments[0], let seed = arguments[1], let atOnce = arguments[2],
            requests >= 10, atOnce > 0
        else {
            print("expected a number of requests (10 or more), a seed, and how many at once; Scripts/soak gives them")
            exit(2)
        }
        guard await HeldCalls.check() else { exit(1) }
        let isSound = try await SoakRun(requests: requests, seed: UInt64(truncatingIfNeeded: seed), atOnce: atOnce).run()
        exit(isSound ? 0 : 1)
    }
}
