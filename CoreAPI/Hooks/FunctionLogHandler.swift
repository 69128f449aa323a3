internal import Logging

/// Passes swift-log's lines to a function, one line per event.
struct FunctionLogHandler: LogHandler {
    let write: @Sendable (String) -> Void
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        write("\(event.message)" + all.map { " \($0.key)=\($0.value)" }.joined())
    }
}
