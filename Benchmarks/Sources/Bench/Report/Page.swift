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
              else. It stands there with libcurl on a thread of its own, as the kit has it, and with the tasks on that thread, as on the
              kit's executor.
            - These and the kit on its transport's executor are measured in S1 to S3, the tasks without an executor in S6 with the limit
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
        parts.append(Self.bounds)
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static let bounds = """
        ## What bounds these figures

        - **S1 to S3.** libcurl is asked for more than raw C asks for and does not need more for it, because it is told of origin and target and
          need not parse an address, nor format the line that names the host: both programs in C are as fast. What is between the floor and
          the kit is what the floor leaves out: to build and check a request, the way through the pipeline, limits, clocks, cancellation,
          the checked head, metrics, the response. In S1 that is 22,000 instructions, of which a fifth are references counted, and an
          eighth is the runtime's work for tasks. It is flat: a request runs through 290 functions of the kit's, none of which takes
          more than 800 instructions.
        - **S2.** libcurl's thread, those of the tasks and nginx share two cores, which are busy all the time. In 100 requests a thread has to
          wait 37 times, at two fifths of them for the C library, where one frees what the other made. Not to share memory that way, to
          answer at once all that ended together, or to keep what the threads write in lines of the cache of their own changed nothing
          that could be measured.
        - **S2 with the executor.** There all of the kit's work is on one thread, the one that libcurl is on. So requests a second are a matter
          of CPU, and for 0.85 of raw C it must be no more than 1.18 ×. The floor takes 1.11 of that, the kit 1.33. In the kernel raw C
          spends 6.6 µs a request, the floor 7.1 and the kit 7.8; outside it 9.9, 11.2 and 14.3. Of what the kit spends more than the
          floor, perf finds three quarters in the kit's and the runtime's code, an eighth in the C library, and the rest in libcurl, which
          does the same for both. To count references without atomic instructions, which is right on one thread only, would bring it
          from 0.76 to 0.81; it is the largest part that there is.
        - **The cache for code.** A request runs through 1,190 lines (of 64 bytes) of libcurl and libc, and through 1,140 of the kit's and
          Swift's, most of them once; a first-level cache has 512. So cachegrind (S2, 32 KiB of each) counts 1,130 misses a request of raw
          C's, 1,140 of the floor's and 2,050 of the kit's. What one task does between an answer and its next request is 794 lines by
          itself, so that 64 of them, one after the other, find none of it there. To divide a task in two, or to take each answer to its
          next request at once, changed nothing. In S1 the thread sleeps between two requests, and finds less still.
        - **S7.** To decode is 65,000 instructions, of which 16,000 read the text; most of the others are the calls by which `Decodable`
          asks for one member after the other, and the strings and arrays that it makes. Both cores are busy, nginx's share included, so
          that the floor, which does nothing but call libcurl and decode, is at 3.6 × async-http-client, and the kit at five sixths of that.
        - **S6, memory.** A process in Swift begins with some 9 MB more than one in C, and the kit with 14, as S1's peaks show, or with 21
          where Swift's libraries are files of their own; nearly all of them are pages of libraries that nobody has written to. With 2,000
          requests 14 MB are what 1.3 × leaves. What is held above them is less than raw C's, whose buffers are larger.
        """
}
