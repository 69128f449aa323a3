public import CoreAPI

/// Writes the marketplace's calls to swift-log under the label `networkerkit.TY`; the channel's redaction hides what is secret.
///
/// Called on the pipeline's thread, concurrently.
public struct TYLogger: NetworkLogger {
    private let logger: CoreNetworkLogger

    /// - Parameter options: what is written of calls to which no ``CoreAPI/RequestLogging`` is attached.
    public init(options: RequestLogging = .standard) {
        logger = CoreNetworkLogger(subsystem: "networkerkit", category: "TY", options: options)
    }

    public func log(_ event: NetworkEvent) {
        logger.log(event)
    }
}
