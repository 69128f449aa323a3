public import CoreAPI

/// Writes the second-hand shop's calls to swift-log under the label `networkerkit.DL`; the channel's redaction hides what is secret.
///
/// Called on the pipeline's thread, concurrently.
public struct DLLogger: NetworkLogger {
    private let logger: CoreNetworkLogger

    /// - Parameter options: what is written of calls to which no ``CoreAPI/RequestLogging`` is attached.
    public init(options: RequestLogging = .standard) {
        logger = CoreNetworkLogger(subsystem: "networkerkit", category: "DL", options: options)
    }

    public func log(_ event: NetworkEvent) {
        logger.log(event)
    }
}
