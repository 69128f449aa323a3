import Foundation
import Holding
import Meter

/// The command: runs a client with a scenario, holds requests, makes data and reports. Scripts/bench uses all of it.
@main
struct Bench {
    static let usage = """
        usage: Bench run --client CLIENT --scenario NAME --url URL --count N [--warm N] [--authority FILE] [--directory DIR]
                         [--target DIR] [--under COMMAND]
               Bench hold --port N --milliseconds N
               Bench data --directory DIR
               Bench report [--runs FILE] [--instructions FILE] [--pipeline FILE] [--decoding FILE] [--recorded FILE]
                            [--software TEXT] [--load TEXT] [--json] [--check] [--record DIR]
               Bench scenarios

          run        one scenario with one client in one process; prints one line of JSON
          hold       serves /held with a delay, /now and /accepted at once, and discards what is sent to /sink
          data       writes the files that the scenarios request
          report     tables of medians of the lines that "run" and BenchJSON printed

          CLIENT     \(Client.allCases.map(\.rawValue).joined(separator: ", "))
          URL        scheme, host and port; a server with the files of "data", or the server of "hold" for S6
          --directory  of "data", for a file that is sent; --target for one that is received
          COMMAND    a program to run the client with, for example valgrind
        """

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch let problem as UsageProblem {
            fail(problem.message, status: 2)
        } catch {
            fail(String(describing: error), status: 2)
        }
    }

    private static func run(_ words: [String]) throws {
        guard let command = words.first, command != "--help" else {
            print(usage)
            return
        }
        let arguments = try Arguments(words.dropFirst(), flags: ["json", "check"])
        switch command {
        case "run": try ClientRun(arguments).start()
        case "hold": try hold(port: arguments.number("port"), milliseconds: arguments.number("milliseconds"))
        case "data": try SampleData.write(to: URL(fileURLWithPath: arguments.text("directory")))
        case "report": exit(try ReportCommand(arguments).run())
        case "scenarios": for scenario in Scenario.all { print("\(scenario.name)\t\(scenario.title)") }
        default: throw UsageProblem("there is no command \"\(command)\"; see Bench --help")
        }
    }

    private static func hold(port: Int, milliseconds: Int) throws {
        meter_prepare_process()
        alarm(0)
        _ = holding_serve(Int32(port), Int32(milliseconds))
        throw UsageProblem("cannot serve on port \(port): \(String(cString: strerror(errno)))")
    }

    static func warn(_ message: String) {
        FileHandle.standardError.write(Data("bench: \(message)\n".utf8))
    }

    static func fail(_ message: String, status: Int32) -> Never {
        warn(message)
        exit(status)
    }
}

struct UsageProblem: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
