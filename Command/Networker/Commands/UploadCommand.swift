import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import CoreAPITransfers
import Foundation

/// `networker upload`
struct UploadCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandSetup.current.name
        let channel = CommandSetup.current.registry.names.first ?? "CHANNEL"
        return CommandConfiguration(
            commandName: "upload",
            abstract: "Send a file of any size, and show the progress.",
            usage: """
                \(name) upload <file> [METHOD] <address> [items] [options]
                \(name) upload <file> <channel> METHOD <path> [items] [options]
                """,
            discussion: """
                The file is the body: it is read while it is sent. Without a method it is POST. Items are name==value for the \
                query and Name:value for a header, as for 'call'.

                A resumable upload continues after an interruption: by tus 1.0, or by the draft of the IETF \
                (draft-ietf-httpbis-resumable-upload). With --state another run of the same command continues it, too.

                OUTPUT
                Progress is on standard error: a bar on a terminal, else a line for each tenth. The answer is shown as by \
                'call', with the same exit codes.

                EXAMPLES
                  \(name) upload film.mov PUT https://example.com/films/7
                  \(name) upload a.mov :8080/files --resumable tus --state a.json
                  \(name) upload orders.csv \(channel) POST imports --compress gzip
                """)
    }

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
    var file: String

    @Argument(help: ArgumentHelp("An address, or a channel, a method and a path; then items.", valueName: "word"))
    var words: [String] = []

    @OptionGroup var options: ChannelOptions

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header; overrides the channel's header of that name.", valueName: "name: value"),
        transform: HeaderLine.init)
    var header: [HeaderLine] = []

    @Option(help: "The protocol of a resumable upload.")
    var resumable: Protocol?

    @Option(
        help: ArgumentHelp("With --resumable: store the state in this file, and continue from it.", valueName: "file"),
        completion: .file())
    var state: String?

    @Option(
        help: ArgumentHelp(
            "The maximum number of bytes per second; k, M and G are thousands, millions and billions.", valueName: "bytes"),
        transform: { try ByteAmount($0) })
    var limitRate: ByteAmount?

    @Option(help: "Compress the file while it is sent.")
    var compress: Compression?

    @Flag(help: "Ask the server before sending (Expect: 100-continue).")
    var expectContinue = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The longest time without progress.", valueName: "seconds"),
        transform: TimeLimit.init)
    var timeout = TimeLimit(seconds: 60)

    @Flag(help: "Print JSON instead of text; times in milliseconds.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print no progress.")
    var quiet = false

    enum `Protocol`: String, CaseIterable, ExpressibleByArgument, Sendable {
        case tus, ietf
    }

    enum Compression: String, CaseIterable, ExpressibleByArgument, Sendable {
        case gzip, zstd
    }

    func validate() throws {
        if resumable != nil, compress != nil {
            throw ValidationError("--resumable and --compress exclude each other; expected one of them")
        }
        if resumable != nil, expectContinue {
            throw ValidationError("--resumable and --expect-continue exclude each other; expected one of them")
        }
        if state != nil, resumable == nil { throw ValidationError("--state changes --resumable; expected --resumable as well") }
        if let state { try OutputFile(path: state).check(for: "the state") }
        if let compress, ContentCoding(rawValue: compress.rawValue)?.isAvailable != true {
            throw ValidationError("this machine has no library for \(compress.rawValue); expected --compress gzip")
        }
        do {
            _ = try LocalFile(reading: file)
        } catch {
            throw ValidationError("cannot read '\(file.escapingControls)': \(error.reason); expected a readable file")
        }
    }

    func run() async throws {
        let url = URL(fileURLWithPath: file)
        let plan = try CallPlan(words, options, headers: header, file: url)
        var channel = plan.target.channel()
        let recorder = CallRecorder()
        channel.listeners.append(recorder)
        let limit = Timeout(connect: min(timeout.duration, .seconds(10)), idle: timeout.duration, total: .seconds(86_400))
        let endpoint = plan.endpoint(timeout: timeout.duration, accept: "application/json, */*;q=0.5").attaching(limit)
        let upload = try upload(url, endpoint, CommonDispatcher(channel: channel))
        await show(upload)
        let response = await upload.response
        await channel.close()
        // The last request of a resumable upload: the earlier ones ended before the report began.
        let calls = recorder.takeFinished().filter { resumable == nil || $0.id == response.call.id }
        try show(CallReport(response: response, calls: calls, extras: []), plan.target)
    }

    private func upload(_ file: URL, _ endpoint: any Endpoint, _ dispatcher: CommonDispatcher) throws -> Upload<Data> {
        guard let resumable else {
            let options = UploadOptions(
                compression: compress.flatMap { ContentCoding(rawValue: $0.rawValue) },
                bytesPerSecond: limitRate?.bytes, expectsContinue: expectContinue)
            return dispatcher.upload(endpoint, as: .data, options: options)
        }
        let store = state.map(StateFile.init)
        var plan = ResumableUpload(resumable == .tus ? .tus : .ietf, continuing: try store?.read()) { state in store?.write(state)
        }
        plan.bytesPerSecond = limitRate?.bytes
        plan.metadata = ["filename": file.lastPathComponent, "filetype": file.mediaType]
        return dispatcher.upload(endpoint, from: .file(file), as: .data, resumable: plan)
    }

    private func show(_ upload: Upload<Data>) async {
        if !quiet { await ProgressBar.show(upload, on: Console.error) }
    }

    private func show(_ report: CallReport, _ target: CallTarget) throws {
        if json {
            Console.output.write(try JSONOutput.text(report.record))
        } else if Console.output.isTerminal {
            Console.output.write(report.rendered(Console.output.palette, body: .shown))
        } else {
            Console.output.write(bytes: report.response.data)
            Console.error.write(report.rendered(Console.error.palette, body: .left))
        }
        guard let error = report.response.error else { return }
        Console.error.write(failure: target.line(for: error))
        if let advice = target.advice(about: error, hasResponded: report.hasResponse) { Console.error.write(hint: advice) }
        if let state, FileManager.default.fileExists(atPath: state) {
            Console.error.write(hint: "the same command continues the upload from '\(state)'")
        }
        throw ExitCode.failure
    }
}

/// The state of a resumable upload, for another run.
private struct StateFile: Sendable {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// - Throws: `ValidationError` for a file that has no state.
    func read() throws -> ResumableUpload.State? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try JSONDecoder().decode(
                ResumableUpload.State.self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw ValidationError("'\(path.escapingControls)' has no state of an upload; expected a file written by --state")
        }
    }

    /// A state that cannot be stored does not stop the upload.
    func write(_ state: ResumableUpload.State?) {
        do {
            guard let state else {
                if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
                return
            }
            try FileReplacement(path: path, mode: 0o600).write(try JSONEncoder().encode(state))
        } catch {
            Console.error.write(failure: "cannot keep the state in '\(path)': \(error.systemReason)")
        }
    }
}
