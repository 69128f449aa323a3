public import CoreAPI

/// Writes the instant delivery's calls to swift-log under the label `networkerkit.ID`; the channel's redaction hides what is secret.
///
/// Called on the pipeline's thread, concurrently.
public struct IDLogger: NetworkLogger {
    private let logger: CoreNetworkLogger

    /// - Parameter options: what is written of calls to which no ``CoreAPI/RequestLogging`` is attached.
    public init(options: RequestLogging = .standard) {
        logger = CoreNetworkLogger(subsystem: "networkerkit", category: "ID", options: options)
    }

    public func log(_ event: NetworkEvent) {
        logger.log(event)
    }
}
