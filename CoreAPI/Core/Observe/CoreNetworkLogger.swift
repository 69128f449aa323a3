internal import CoreAPIHTTP
internal import CoreAPIRedaction
internal import CoreAPITrust
internal import Foundation
internal import HTTPTypes
public import Logging

/// Writes calls to swift-log: one line per sent attempt (debug), per retry (notice) and per finished (info) or failed call. A
/// failure is an error, except for a rejected status (notice) and a cancelled call (debug). ``level`` may be replaced.
///
/// Messages are constant. Everything variable is metadata; `call` is the same in every line of one call. The channel's
/// ``Redaction`` hides secrets, and bodies are cut at ``bodyLimit``.
public struct CoreNetworkLogger: NetworkLogger {
    /// The largest number of characters written of a body.
    public static let bodyLimit = 4_096
    /// The level of a failed call's line.
    public var level: @Sendable (APIClientError) -> Logger.Level = { CoreNetworkLogger.level(of: $0) }
    private let logger: Logger
    private let options: RequestLogging

    /// The default level of a failure: `debug` for a cancellation, `notice` for a rejected status, and else `error`.
    public static func level(of error: APIClientError) -> Logger.Level {
        switch error {
        case .cancelled: .debug
        case .verification(.unacceptableStatus, _): .notice
        case .app: error.context.head.map { !(200..<300).contains($0.status.code) } == true ? .notice : .error
        default: .error
        }
    }

    /// Makes a logger. Unless one is given, `LoggingSystem` makes it. Its label is the reverse-DNS name of the app or module and
    /// a category, usually the channel. The options are for calls without a ``RequestLogging``.
    public init(subsystem: String, category: String, options: RequestLogging = .standard, logger: Logger? = nil) {
        self.logger = logger ?? Logger(label: "\(subsystem).\(category)")
        self.options = options
    }

    /// Writes to a function instead: one line per event, with the message and then metadata by name. `write` is called in Swift's
    /// thread pool, concurrently for different calls.
    ///
    /// ```swift
    /// channel.logger = CoreNetworkLogger(options: .all) { line in print(line) }
    /// ```
    public init(options: RequestLogging = .standard, write: @escaping @Sendable (_ line: String) -> Void) {
        self.init(
            subsystem: "networkerkit", category: "function", options: options,
            logger: Logger(label: "networkerkit") { _ in FunctionLogHandler(write: write) })
    }

    public func log(_ event: CallEvent) {
        switch event {
        case .started(let attempt):
            write(.debug, "request sent", attempt.request) { describe(attempt.request, $0) }
        case .retrying(let response, let delay):
            write(.notice, "request retried", response.request, of: response.call) { options in
                describe(response, options).merging(["pause_ms": Self.milliseconds(delay)]) { $1 }
            }
        case .pinMismatch(let attempt, let mismatch):
            let message: Logger.Message =
                mismatch.isEnforced ? "server rejected by its pins" : "server does not match its pins"
            write(.critical, message, attempt.request) { _ in
                func list(_ pins: [some Any]) -> Logger.MetadataValue { .array(pins.map { "\($0)" }) }
                return ["host": "\(mismatch.host)", "chain": list(mismatch.chain), "configured": list(mismatch.configured)]
            }
        case .warning(let attempt, let text):
            write(.warning, "channel warning", attempt.request) { _ in
                ["warning": "\(attempt.request.redaction.redact(text: text).escapingControls)"]
            }
        case .finished(let response):
            let message: Logger.Message = response.error == nil ? "request finished" : "request failed"
            write(response.error.map(level) ?? .info, message, response.request, of: response.call) { describe(response, $0) }
        case .resultHandlerFailed(let response, let error):
            write(.error, "result handler failed", response.request, of: response.call) { _ in
                let text = error.readableDescription.shortened(to: 2_000)
                return ["error": "\(response.call.channel.redaction.redact(text: text).escapingControls)"]
            }
        default: break
        }
    }

    /// Formats only lines that are written: it checks the level and the options first.
    private func write(
        _ level: Logger.Level, _ message: Logger.Message, _ request: Request?, of call: Call? = nil,
        _ details: (RequestLogging) -> Logger.Metadata
    ) {
        guard logger.logLevel <= level, let call = call ?? request?.call else { return }
        let options = RequestLogging.effective(for: request, default: options)
        guard !options.isEmpty else { return }
        var metadata = details(options)
        metadata["call"] = "\(call.id)"
        metadata["channel"] = "\(call.channel.name)"
        metadata["endpoint"] = "\(call.channel.redaction.redact(text: call.endpoint).escapingControls)"
        if let request { metadata["attempt"] = "\(request.attempt)" }
        logger.log(level: level, message, metadata: metadata)
    }

    private func describe(_ request: Request, _ options: RequestLogging) -> Logger.Metadata {
        let redaction = request.redaction
        var metadata: Logger.Metadata = ["method": "\(request.method.rawValue)"]
        if options.contains(.url) { metadata["url"] = "\(redaction.redact(url: request.url))" }
        if options.contains(.requestHeaders) { metadata["request.headers"] = Self.describe(request.headers, redaction) }
        if options.contains(.requestBody), case .bytes(let body) = request.body, !body.isEmpty {
            metadata["request.body"] = "\(Self.describe(body, MediaType(request.headers), redaction))"
        }
        return metadata
    }

    private func describe(_ response: Response<Void>, _ options: RequestLogging) -> Logger.Metadata {
        let redaction = response.redaction
        var metadata: Logger.Metadata = [:]
        if options.contains(.url), let request = response.request { metadata["url"] = "\(redaction.redact(url: request.url))" }
        if let request = response.request { metadata["method"] = "\(request.method.rawValue)" }
        if options.contains(.status), let status = response.head?.status.code { metadata["status"] = "\(status)" }
        if options.contains(.time) {
            metadata["elapsed_ms"] = Self.milliseconds(response.call.started.duration(to: .now))
            let metrics = response.metrics
            metadata["queue_ms"] = metrics.map { Self.milliseconds($0.queued) }
            metadata["dns_ms"] = metrics?.nameLookup.map(Self.milliseconds)
            metadata["connect_ms"] = metrics?.connect.map(Self.milliseconds)
            metadata["tls_ms"] = metrics?.tls.map(Self.milliseconds)
            metadata["first_byte_ms"] = metrics?.firstByte.map(Self.milliseconds)
            metadata["bytes_received"] = metrics?.bytesReceived.map { "\($0)" }
            if let resends = metrics?.resends, resends > 0 { metadata["resends"] = "\(resends)" }
        }
        if options.contains(.responseHeaders), let head = response.head {
            metadata["response.headers"] = Self.describe(head.headers, redaction)
        }
        if options.contains(.responseBody), !response.data.isEmpty {
            metadata["response.body"] = "\(Self.describe(response.data, response.head?.mediaType, redaction))"
        }
        if let error = response.error { metadata["error"] = "\(Self.describe(error, options))" }
        return metadata
    }

    /// The error without the parts that are other metadata of the line.
    private static func describe(_ error: APIClientError, _ options: RequestLogging) -> String {
        let context = error.context
        var particulars = context.particulars
        if options.contains(.url), context.isRedirected, let url = context.url { particulars.insert("at \(url)", at: 0) }
        let more = particulars.isEmpty ? "" : " [\(particulars.joined(separator: ", "))]"
        return (error.reason + more).escapingControls
    }

    private static func milliseconds(_ duration: Duration) -> Logger.MetadataValue {
        "\((duration / .microseconds(1)).rounded() / 1_000)"
    }

    private static func describe(_ headers: HTTPFields, _ redaction: Redaction) -> Logger.MetadataValue {
        .array(redaction.lines(of: headers).map { "\($0.escapingControls)" })
    }

    private static func describe(_ body: Data, _ type: MediaType?, _ redaction: Redaction) -> String {
        let text = redaction.redact(body: body, type: type, upTo: bodyLimit).escapingControls
        return text.count > bodyLimit ? "\(text.prefix(bodyLimit))… (\(body.count) bytes)" : text
    }
}

/// Passes swift-log's lines to a function, one line per event.
private struct FunctionLogHandler: LogHandler {
    let write: @Sendable (String) -> Void
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        write("\(event.message)" + all.map { " \($0.key)=\($0.value)" }.joined())
    }
}

/// The parts of a call that are logged. Options of several levels add up; ``off`` at the nearest level silences the call.
///
/// ```swift
/// channel.modifiers.append(RequestLogging.all)
/// ```
public struct RequestLogging: OptionSet, RequestModifier, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Method and address, secrets hidden.
    public static let url = RequestLogging(rawValue: 1 << 0)
    /// How long the call took.
    public static let time = RequestLogging(rawValue: 1 << 1)
    /// The response's status.
    public static let status = RequestLogging(rawValue: 1 << 2)
    /// The request's fields, secrets hidden.
    public static let requestHeaders = RequestLogging(rawValue: 1 << 3)
    /// The response's fields, secrets hidden.
    public static let responseHeaders = RequestLogging(rawValue: 1 << 4)
    /// The request's body, secrets hidden.
    public static let requestBody = RequestLogging(rawValue: 1 << 5)
    /// The response's body, secrets hidden.
    public static let responseBody = RequestLogging(rawValue: 1 << 6)
    /// URL, time and status: the default if no level has options.
    public static let standard: RequestLogging = [.url, .time, .status]
    /// Every part.
    public static let all: RequestLogging = [.standard, .requestHeaders, .responseHeaders, .requestBody, .responseBody]
    /// No part.
    public static let off: RequestLogging = []

    static func effective(for request: Request?, default standard: RequestLogging) -> RequestLogging {
        let levels = request?.modifiers(of: RequestLogging.self) ?? []
        guard let nearest = levels.last else { return standard }
        return nearest.isEmpty ? .off : levels.reduce(.off) { $0.union($1) }
    }
}
