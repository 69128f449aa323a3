package import CoreAPI
import HTTPTypes

/// An exchange for programs: secrets redacted, times in milliseconds, unknown values omitted.
package struct ExchangeRecord: Encodable {
    package let call: String
    package let endpoint: String
    package let attempt: Int
    package let method: String
    package let url: String
    package let status: Int?
    package let error: String?
    package let protocolVersion: String?
    package let connectionReused: Bool?
    package let remote: String?
    package let pauseMs: Double
    package let queueMs: Double?
    package let dnsMs: Double?
    package let tcpMs: Double?
    package let tlsMs: Double?
    package let firstByteMs: Double?
    package let totalMs: Double?
    package let bytesSent: Int64?
    package let bytesReceived: Int64?

    package init(_ exchange: Exchange) {
        let request = exchange.request
        let metrics = exchange.metrics
        call = request.call.id
        endpoint = request.redaction.redact(text: exchange.endpoint).escapingControls
        attempt = request.attempt
        method = request.method.rawValue
        url = request.redaction.redact(url: request.url)
        status = exchange.status
        error = exchange.error?.description
        protocolVersion = metrics?.httpVersion
        connectionReused = metrics?.isConnectionReused
        remote = metrics?.remote
        pauseMs = exchange.pause.milliseconds
        queueMs = metrics?.queued.milliseconds
        dnsMs = metrics?.nameLookup?.milliseconds
        tcpMs = metrics?.connect?.milliseconds
        tlsMs = metrics?.tls?.milliseconds
        firstByteMs = metrics?.firstByte?.milliseconds
        totalMs = metrics?.total.milliseconds
        bytesSent = metrics?.bytesSent
        bytesReceived = metrics?.bytesReceived
    }
}

extension ExchangeMetrics {
    /// `127.0.0.1:8443`, `[::1]:8443`
    package var remote: String? {
        guard let remoteAddress else { return nil }
        let host = remoteAddress.contains(":") ? "[\(remoteAddress)]" : remoteAddress
        return remotePort.map { "\(host):\($0)" } ?? host
    }
}
