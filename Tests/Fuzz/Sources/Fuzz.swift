import Foundation

private typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

/// libFuzzer's own loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: Callback
) -> Int32

private let target = FuzzTarget.all.first { $0.name == ProcessInfo.processInfo.environment["FUZZ_TARGET"] }

/// Runs the target that `FUZZ_TARGET` names; without one, lists them. Arguments are libFuzzer's.
@main
struct Fuzz {
    static func main() {
        if target == nil {
            for target in FuzzTarget.all { print(target.name) }
        } else {
            run()
        }
    }

    private static func run() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        let status = runFuzzer(&count, &arguments) { bytes, count in
            var input = FuzzInput(UnsafeBufferPointer(start: bytes, count: count))
            target?.check(&input)
            return 0
        }
        exit(status)
    }
}
