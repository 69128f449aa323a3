import Foundation

/// Benchmarks/RESULTS.md.
extension Results {
    var page: String {
        var parts = [
            """
            # Results

            Written by `Scripts/bench --record`; do not edit.

            - \(machine.processor), \(machine.cores) cores, \(machine.memory) GiB, \(machine.system)
            - \(machine.software)
            - Every client's run stands between two runs of raw C, and "× C" is its figure divided by the mean of those two: of requests
              a second more is better, of everything else less. Figures are medians of all rounds, "completed" is the fewest of any.
            - Three rows show what is under the kit: a program in C that asks libcurl for what the kit asks for (its header lines, its
              options and callbacks; the look at a connection before it is used again; the look at the first field before 7.88.1 keeps
              it), and the floor: the same asked by Swift's tasks, of which each waits for its answer and is given the body, and nothing
              else. It stands there with libcurl on a thread of its own, as the kit has it, and with the tasks on that thread.
            - These are measured in S1 to S3, the tasks without an executor in S6 with the limit
              raised too, and in S5 and S7, where the body is given to the kit's decoder. What is not in a table failed as a whole, or the
              round was a quick one.
            - nginx with one worker, or a server that holds requests, on the loopback of the same machine, so that client and server
              share its cores. Requests before the measurement (opening connections) are left out. Every client is a process of its own.
            - The clients in Swift are linked with `--static-swift-stdlib`, as servers are deployed. With Swift's libraries as files of their own,
              as where instructions are counted, the kit is a twentieth to a tenth slower in S1 and S2, and has 7 MB more.
            - The kit is used as features use it: `NetworkManager` over a `Channel` with its defaults, besides the limits that a scenario
              raises. Of S6's wall time, 2 s are the server's.

            ![Requests a second relative to libcurl from C](ratios.svg)
            """
        ]
        for scenario in scenarios {
            var part = "## \(Scenario.title(of: scenario.label))\n\n"
            let rounds = scenario.rows.filter { $0.client != .rawc }.map(\.runs).min() ?? 0
            part += "\(scenario.date), \(rounds) \(rounds == 1 ? "round" : "rounds"), load averages before: \(scenario.load)\n\n"
            part += Table(scenario).markdown
            let failures = scenario.rows.compactMap { row in row.failure.map { "- \(row.client.title) failed with: `\($0)`" } }
            if !failures.isEmpty { part += "\n\n" + failures.joined(separator: "\n") }
            parts.append(part)
        }
        if let instructions {
            parts.append(
                """
                ## Instructions a request, one at a time, 1 KiB

                \(instructions.date), callgrind, all threads; the difference of two runs, so that the start of the process is left out

                \(Table(instructions).markdown)
                """)
        }
        if let pipeline {
            parts.append(
                """
                ## The pipeline itself

                \(pipeline.rounds) rounds, without a network and with logging off; the median of the rounds

                \(Table(pipeline).markdown)
                """)
        }
        if let decoding {
            let rounds = decoding.shapes.map(\.rounds).min() ?? 0
            parts.append(
                """
                ## Decoding and encoding JSON

                \(decoding.date), \(rounds) rounds, load averages before: \(decoding.load)

                `JSONBodyDecoder` beside `JSONDecoder`, which decode the same documents into the same types in the same rounds; the ratio
                is the median of the rounds'. Mallocs are counted on the thread that decodes, and told for each object, or for each value
                where there are no objects. Of strings with little ASCII the standard library's check of UTF-8 is most of the time.

                \(Table(decoding).markdown)

                `JSONBodyEncoder` beside `JSONEncoder`, which encode what was decoded, with sorted keys and plain slashes as channels do.

                \(Table(encoding: decoding).markdown)
                """)
        }
        if let bounds { parts.append(bounds) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// What lies between the kit and raw C, in figures of the tables above; `nil` where one of them is missing.
    private var bounds: String? {
        func row(_ scenario: String, _ client: Client) -> Row? {
            scenarios.first { $0.label == scenario }?.row(of: client)
        }
        func megabytes(_ row: Row) -> Double { Double(row.peak) / 1_000_000 }
        guard let instructions = instructions?.perRequest, let kit = instructions[Client.kit.rawValue],
            let bare = instructions[Client.bare.rawValue],
            let startRaw = row("s1", .rawc), let startBare = row("s1", .bare), let startKit = row("s1", .kit),
            let typed = row("s7", .kit)?.ratioToAHC,
            let typedFloor = row("s7", .bare)?.ratioToAHC, let heldKit = row("s6-raised-2000", .kit),
            let heldRaw = row("s6-raised-2000", .rawc)
        else { return nil }
        let (aboveKit, aboveRaw) = (megabytes(heldKit) - megabytes(startKit), megabytes(heldRaw) - megabytes(startRaw))
        return """
            ## What bounds these figures

            - **S1 to S3.** To ask libcurl for more than raw C asks for costs nothing: it is told of origin and target and need not parse an
              address, nor format the line that names the host. What is between the floor and the kit is what the floor leaves out: to
              build and check a request, the way through the pipeline, limits, clocks, cancellation, the checked head, metrics, the
              response. In S1 that is \(whole(Double(kit.all - bare.all))) instructions.
            - **S7.** Both cores are busy, nginx's share included, so that the floor, which does nothing but call libcurl and decode, is at
              \(digits(typedFloor)) × async-http-client; the kit is at \(digits(typed)).
            - **S6, memory.** A process in Swift begins with some \(whole(megabytes(startBare) - megabytes(startRaw))) MB more than one in C, and
              the kit with \(whole(megabytes(startKit) - megabytes(startRaw))), as S1's peaks show, nearly all of them pages of libraries that
              nobody has written to. Above that 2,000 held requests are \(whole(aboveKit)) MB, and raw C's \(whole(aboveRaw)).
            """
    }
}
