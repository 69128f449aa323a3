public import CoreAPI

/// Writes the meal ordering's calls to swift-log under the label `networkerkit.ML`; the channel's redaction hides what is secret.
///
/// Called on the pipeline's thread, concurrently.
public struct MLLogger: NetworkLogger {
    private let logger: CoreNetworkLogger

    /// - Parameter options: what is written of calls to which no ``CoreAPI/RequestLogging`` is attached.
    public init(options: RequestLogging = .standard) {
        logger = CoreNetworkLogger(subsystem: "networkerkit", category: "ML", options: options)
    }

    public func log(_ event: NetworkEvent) {
        logger.log(event)
    }
}
