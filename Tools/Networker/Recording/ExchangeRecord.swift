import CoreAPI
import HTTPTypes

/// An exchange for programs: secrets redacted, times in milliseconds, unknown values omitted.
struct ExchangeRecord: Encodable {
    let call: String
    let endpoint: String
    let attempt: Int
    let method: String
    let url: String
    let status: Int?
    let error: String?
    let protocolVersion: String?
    let connectionReused: Bool?
    let remote: String?
    let pauseMs: Double
    let queueMs: Double?
    let dnsMs: Double?
    let tcpMs: Double?
    let tlsMs: Double?
    let firstByteMs: Double?
    let totalMs: Double?
    let bytesSent: Int64?
    let bytesReceived: Int64?

    init(_ exchange: Exchange) {
        let request = exchange.request
        let metrics = exchange.metrics
        call = request.call.id
        endpoint = exchange.endpoint
        attempt = request.attempt
        method = request.method.rawValue
        url = request.call.channel.redaction.redact(url: request.url)
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

extension TransferMetrics {
    /// `127.0.0.1:8443`, `[::1]:8443`
    var remote: String? {
        guard let remoteAddress else { return nil }
        let host = remoteAddress.contains(":") ? "[\(remoteAddress)]" : remoteAddress
        return remotePort.map { "\(host):\($0)" } ?? host
    }
}
