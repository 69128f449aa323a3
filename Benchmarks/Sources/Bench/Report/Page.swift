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
            - Raw C runs before and after every client. "× C" is the client's figure divided by the mean of those two runs. More
              requests a second are better; of all other figures, less is better. Figures are medians of all rounds. "Completed"
              is the lowest count of any round.
            - Three rows show the cost below the kit. The first is a C program that uses libcurl as the kit does: the same
              header lines, options and callbacks; the same check of a connection before reuse; the same check of the first
              field, which 7.88.1 needs. The two others do the same from Swift tasks: each task waits for its answer, gets the
              body and does no more. In one of them libcurl has its own thread, as in the kit; in the other the tasks run on
              libcurl's thread.
            - These rows are measured in S1 to S3. The tasks without an executor are also measured in S6 with the limit raised,
              and in S5 and S7, where the kit's decoder gets the body. A client missing from a table failed completely, or the
              round was a quick one.
            - The server is nginx with one worker, or a server that holds requests, on the loopback of the same machine. So
              client and server share its cores. Requests before the measurement, which open connections, are not counted. Every
              client is a separate process.
            - The Swift clients are linked with `--static-swift-stdlib`, as servers are. With Swift's libraries as separate
              files, as for the counts of instructions, the kit is 5 to 10 % slower in S1 and S2, and needs 7 MB more.
            - The kit is used as features use it: `NetworkManager` over a `Channel` with its defaults, except for the limits
              that a scenario raises. In S6 the server accounts for 2 s of the wall time.
            - In S9 and S10 a request is one body of 1 GiB, in S11 an answer with 1,000,000 events. Raw C has a receive buffer of
              64 KiB and uses each piece inside libcurl's callback: it counts bytes or empty lines, or writes to the file.
              async-http-client has its sequences, `FileDownloadDelegate` and SwiftNIO's chunks of a file; URLSession has its
              delegate and its tasks for files, and cannot send a sequence on Linux. Neither has events: a plain reader of lines
              finds them, and `JSONDecoder` decodes them. Received files lie in memory, because a disk would be slower than each
              client: the kit puts a file on the disk (`fsync`) before it has its name, and the others do not.

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
        if let sharing = Sharing(self) {
            parts.append(
                """
                ## S8, the cost of sharing

                The rows of S8, relative to one channel on one loop. Four channels take turns; two loops share one channel; a
                neighbour's server stalls or floods; "apart" is the flooded neighbour on a loop of its own.

                \(sharing.table.markdown)
                """)
        }
        if let instructions {
            parts.append(
                """
                ## Instructions a request, one at a time, 1 KiB

                \(instructions.date), callgrind, all threads; the difference of two runs, so that the start of the process is
                not counted

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

                `JSONBodyDecoder` and `JSONDecoder` decode the same documents into the same types in the same rounds. The ratio
                is the median of the rounds' ratios. Mallocs are counted on the decoding thread, per object, or per value if
                there are no objects. For strings with little ASCII, the standard library's check of UTF-8 takes most of the
                time.

                \(Table(decoding).markdown)

                `JSONBodyEncoder` and `JSONEncoder` encode the decoded values, with sorted keys and unescaped slashes as
                channels do.

                \(Table(encoding: decoding).markdown)
                """)
        }
        if let bounds { parts.append(bounds) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The costs between the kit and raw C, from the tables above; `nil` if a figure is missing.
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

            - **S1 to S3.** The kit's options for libcurl cost no more than raw C's: libcurl gets origin and target, so it
              neither parses an address nor formats the `Host` line. The Swift tasks on libcurl omit the rest of the kit's work:
              building and checking a request, the pipeline, limits, clocks, cancellation, checking the head, metrics, the
              response. In S1 that work takes \(whole(Double(kit.all - bare.all))) instructions.
            - **S7.** Both cores are busy, also with nginx. Swift tasks that only call libcurl and decode reach
              \(digits(typedFloor)) × async-http-client; the kit reaches \(digits(typed)).
            - **S6, memory.** A Swift process begins with some \(whole(megabytes(startBare) - megabytes(startRaw))) MB more than
              a C process, the kit with \(whole(megabytes(startKit) - megabytes(startRaw))) MB more, as S1's peaks show. Nearly
              all of these are unmodified pages of libraries. Above that, 2,000 held requests take \(whole(aboveKit)) MB, and
              raw C's \(whole(aboveRaw)) MB.
            """
    }
}
