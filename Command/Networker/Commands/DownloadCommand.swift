import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import CoreAPITransfers
import Foundation
import HTTPTypes

struct DownloadCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandSetup.current.name
        let channel = CommandSetup.current.registry.names.first ?? "CHANNEL"
        return CommandConfiguration(
            commandName: "download",
            abstract: "Download a file, verify it, and continue after an interruption.",
            usage: """
                \(name) download <address> [Name:value …] [options]
                \(name) download <channel> <path> [Name:value …] [options]
                """,
            discussion: """
                The bytes go into NAME.part, and replace the file once all of them are there and have the digest that the server \
                (Repr-Digest, RFC 9530) or --digest names. An interrupted download keeps them, also after Ctrl-C; --resume \
                continues it if the server still has the same file, and otherwise says that it begins anew. After a lost \
                connection the command itself continues, as often as --retry says.

                Without --output the file is named after the last part of the path, and must not exist yet. A terminal shows a \
                bar; otherwise standard error has a line for each tenth. The exit code is 1 if there is no file, and 64 for an \
                invalid command line.

                EXAMPLES
                  \(name) download https://example.com/books.csv
                  \(name) download https://example.com/books.csv --resume --parts 4
                  \(name) download \(channel) exports/may -o may.csv --limit-rate 500k
                """)
    }

    @Argument(help: ArgumentHelp("An address, or a channel and a path; then headers and query items.", valueName: "word"))
    var words: [String] = []

    @OptionGroup var options: ChannelOptions

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to write; an existing one is replaced.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Continue the part of an earlier download of the same file.")
    var resume = false

    @Option(
        help: ArgumentHelp(
            "The digest that the file must have, in hexadecimal or Base64: sha-256=… or sha-512=…",
            valueName: "algorithm=digest"),
        transform: DigestArgument.init)
    var digest: [DigestArgument] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Concurrent requests, if the server allows several; at most 16.", valueName: "n")
    )
    var parts = 1

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum number of bytes per second; k, M and G are thousands, millions and billions.", valueName: "bytes"),
        transform: { try ByteAmount($0) })
    var limitRate: ByteAmount?

    @Option(parsing: .unconditional, help: ArgumentHelp("How often to continue after an interruption.", valueName: "n"))
    var retry = 4

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time limit for each response's head, and for silence after it.", valueName: "seconds"),
        transform: TimeLimit.init)
    var timeout = TimeLimit(seconds: 60)

    func validate() throws {
        guard (1...16).contains(parts) else { throw ValidationError("expected --parts from 1 to 16, got \(parts)") }
        guard (0...9).contains(retry) else { throw ValidationError("expected --retry from 0 to 9, got \(retry)") }
        if let output {
            guard output != "-" else {
                throw ValidationError("a download is verified before its file is there; expected --output with a file, not '-'")
            }
            try OutputFile(path: output).check()
        }
    }

    func run() async throws {
        let plan = try plan()
        let file = try file(of: plan)
        var channel = plan.target.channel()
        if retry > 0 { channel.interceptors.append(RetryPolicy(attempts: retry + 1)) }
        let endpoint = plan.endpoint(timeout: timeout.duration, accept: "*/*")
        let isContinued = resume && FileManager.default.fileExists(atPath: Download.part(of: file).path)
        let stop = StopSignal()
        let start = ContinuousClock.now
        let download = CommonDispatcher(channel: channel).download(endpoint, to: file, downloadOptions)
        let signal = Mutex<Int32?>(nil)
        let stopping = Task {
            guard let number = await stop.wait() else { return }
            signal.withLock { $0 = number }
            download.cancel()
        }
        defer { stopping.cancel() }
        await ProgressBar.show(
            download, on: Console.error, isContinued: isContinued,
            anew: "'\(Download.part(of: file).lastPathComponent)' cannot be continued: the server has another file, or "
                + "answers no range; beginning again")
        do throws(APIClientError) {
            let whole = try await download.value
            await channel.close()
            Console.report.write(Self.summary(whole, in: .now - start, digest))
        } catch {
            await channel.close()
            if let number = signal.withLock({ $0 }) { throw await interrupted(by: number, download, file) }
            Console.error.write(bodyOf: error)
            Console.error.write(failure: line(for: error, plan))
            if let advice = advice(about: error, plan, file) { Console.error.write(hint: advice) }
            throw ExitCode.failure
        }
    }

    /// - Throws: `ValidationError`.
    func plan() throws -> CallPlan {
        guard let first = words.first else { throw ValidationError("expected an address, or a channel and a path") }
        var words = words
        let isChannel = CommandSetup.current.registry.entry(first) != nil
        guard !isChannel || words.count > 1 else {
            throw ValidationError("expected a path after '\(first.escapingControls)', such as exports/may")
        }
        if isChannel, words[1].inSmallLetters != "get" { words.insert("GET", at: 1) }
        let plan = try CallPlan(words, options)
        guard plan.method == .get else {
            throw ValidationError(
                "a download is a GET, got \(plan.method.rawValue); '\(CommandSetup.current.name) call' sends any")
        }
        for line in plan.headers where ["accept-encoding", "range", "if-range"].contains(line.name.inSmallLetters) {
            throw ValidationError("a download sets \(line.name) itself; '\(CommandSetup.current.name) call' sends any")
        }
        return plan
    }

    /// The file, with links resolved as `call --output` does.
    ///
    /// - Throws: `ValidationError`.
    func file(of plan: CallPlan) throws -> URL {
        if let output { return URL(fileURLWithPath: output).resolvingSymlinksInPath() }
        let last = plan.path.before(anyOf: "?#").utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
        let name = last.removingPercentEncoding ?? last
        guard !name.isEmpty, name.after(".") == nil, !name.containsOctets(of: "/"), name.firstForbiddenControl == nil
        else { throw ValidationError("the address does not name the file; expected --output") }
        try OutputFile(path: name).check(or: "; expected --output with another")
        let url = URL(fileURLWithPath: name)
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw ValidationError("'\(name)' exists; expected --output, as in '--output \(name)', which replaces it")
        }
        return url
    }

    private var downloadOptions: DownloadOptions {
        DownloadOptions { options in
            options.beginsAnew = !resume
            options.digests = digest.map(\.digest)
            options.parts = parts
            options.bytesPerSecond = limitRate?.bytes
            // Prints nothing: a signal ends the process.
            options.saveInterval = 1 << 20
        }
    }

    /// `may.csv: 5.0 MB in 1.24 s, 4.0 MB/s, 1.2 MB of them from before; sha-256=…`
    static func summary(_ file: DownloadedFile, in time: Duration, _ expected: [DigestArgument] = []) -> String {
        let speed = Int64(Double(file.length - file.reused) / max(time / .seconds(1), 0.001))
        var text = "\(file.url.lastPathComponent.escapingControls): \(file.length.readableBytes) in \(time.readable)"
        text += ", \(speed.readableBytes)/s"
        if file.reused > 0 { text += ", \(file.reused.readableBytes) of them from before" }
        for digest in file.digests {
            text += "\nverified \(digest.algorithm.rawValue) \(expected.form(of: digest) ?? digest.hexadecimal)"
        }
        return text
    }

    /// The failure in one line, with digests in the form of `--digest`.
    private func line(for error: APIClientError, _ plan: CallPlan) -> String {
        let line = plan.target.line(for: error)
        guard case .verification(.custom(let custom), _) = error.untranslated,
            case .digestMismatch(let expected, let found) = custom as? DownloadError
        else { return line }
        return [expected, found].reduce(line) { line, text in
            guard let digest = ContentDigest(text), let form = self.digest.form(of: digest) else { return line }
            return line.replacingOctets(of: text, with: "\(digest.algorithm.rawValue)=\(form)")
        }
    }

    /// Tells what is kept, and ends the process as the signal alone would have done.
    private func interrupted(by number: Int32, _ download: Download, _ file: URL) async -> ExitCode {
        var kept: Int64 = 0
        for await progress in download.progress { kept = progress.completed }
        if mayContinue(file) {
            let part = Download.part(of: file).lastPathComponent
            Console.error.write(hint: "\(kept.readableBytes) are kept in '\(part)'; --resume continues")
        } else if kept > 0 {
            Console.error.write(hint: "nothing is kept: the server's response does not say that it can be continued")
        }
        kill(getpid(), number)
        return ExitCode(128 + number)
    }

    private func mayContinue(_ file: URL) -> Bool {
        FileManager.default.fileExists(atPath: "\(Download.part(of: file).path).json")
    }

    private func advice(about error: APIClientError, _ plan: CallPlan, _ file: URL) -> String? {
        if let advice = plan.target.advice(about: error, hasResponded: mayContinue(file)) { return advice }
        let part = Download.part(of: file).lastPathComponent
        return mayContinue(file) ? "--resume continues from the bytes that are in '\(part)'" : nil
    }
}

/// The value of `--digest`, in the form in which it was typed.
struct DigestArgument: Sendable, Hashable {
    let digest: ContentDigest
    private let isHexadecimal: Bool

    /// - Throws: `ValidationError` that states what was expected.
    init(_ text: String) throws {
        guard let digest = ContentDigest(text) else {
            throw ValidationError(
                "expected sha-256= and 64 hexadecimal digits, or sha-512= and 128, or Base64, got '\(text.escapingControls)'")
        }
        self.digest = digest
        isHexadecimal = text.inSmallLetters.utf8.suffix(2 * digest.algorithm.size).elementsEqual(digest.hexadecimal.utf8)
    }

    /// Another digest in the same form.
    fileprivate func form(of digest: ContentDigest) -> String {
        isHexadecimal ? digest.hexadecimal : Data(digest.bytes).base64EncodedString()
    }
}

extension [DigestArgument] {
    /// A digest in the form of the argument for its algorithm; `nil` without one.
    func form(of digest: ContentDigest) -> String? {
        first { $0.digest.algorithm == digest.algorithm }?.form(of: digest)
    }
}

/// The value of `--limit-rate` or `--event-size`.
struct ByteAmount: Sendable, Hashable {
    let bytes: Int

    /// - Parameter unit: what was expected, for an error.
    /// - Throws: `ValidationError` that states what was expected.
    init(_ text: String, _ unit: String = "bytes per second") throws {
        let factors = ["k": 1_000.0, "m": 1e6, "g": 1e9]
        let factor = factors[String(text.inSmallLetters.suffix(1))]
        guard let number = Double(factor == nil ? text : String(text.dropLast())), number.isFinite,
            case let amount = number * (factor ?? 1), (1...1e12).contains(amount)
        else { throw ValidationError("expected \(unit), such as 500000, 500k or 2.5M, got '\(text.escapingControls)'") }
        bytes = Int(amount)
    }
}
