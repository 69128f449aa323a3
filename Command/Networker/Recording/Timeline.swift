import CoreAPI
import HTTPTypes

/// The times of a call, exchange by exchange: the kit's queue, DNS, TCP, TLS, the server, the body.
///
/// Each exchange is drawn at its start relative to the call's start. So a pause, or a wait for another call, is a gap.
package struct Timeline: Sendable {
    package let chart: BarChart

    /// - Parameters:
    ///   - exchanges: the exchanges in the order in which they were sent.
    ///   - start: the start of the call.
    ///   - call: its identity; the exchanges of other calls are those that it caused, such as a token's refresh.
    package init(_ exchanges: [Exchange], from start: ContinuousClock.Instant, call: String? = nil) {
        chart = BarChart(
            groups: exchanges.indices.map { index in
                let exchange = exchanges[index]
                return Self.group(
                    exchange, after: exchanges[..<index], from: start, call: call ?? exchange.request.call.id)
            })
    }

    private static func group(
        _ exchange: Exchange, after earlier: ArraySlice<Exchange>, from start: ContinuousClock.Instant, call: String
    ) -> BarChart.Group {
        let request = exchange.request
        var title = exchange.role(after: earlier, in: call)
        if exchange.pause > .zero { title += " after a pause of \(exchange.pause.readable)" }
        let path = request.redaction.redact(text: request.url.path).escapingControls
        title += ": \(request.method.rawValue) \(path)"
        title += exchange.status.map { ", status \($0)" } ?? ", no response"
        guard let metrics = exchange.metrics else { return BarChart.Group(title: title, bars: []) }
        if let remote = metrics.remote { title += ", \(metrics.isConnectionReused ? "open" : "new") connection to \(remote)" }

        let begin = start.duration(to: exchange.sentAt)
        var next = begin
        var bars: [BarChart.Bar] = []
        func add(_ label: String, _ length: Duration?, _ tone: Tone = .plain) {
            guard let length else { return }
            bars.append(BarChart.Bar(label, from: next, lasting: length, tone))
            next += length
        }
        // The first call of a process starts threads and loads libraries.
        if earlier.isEmpty, begin > .zero { bars.append(BarChart.Bar("start", from: .zero, lasting: begin, .quiet)) }
        add("queue", metrics.queued, .quiet)
        add("DNS", metrics.nameLookup, .warning)
        add("TCP", metrics.connect, .warning)
        add("TLS", metrics.tls, .warning)
        add("first byte", metrics.firstByte, .good)
        // The rest of the time, mostly for the body.
        add("the rest", max(.zero, begin + metrics.queued + metrics.total - next))
        bars.append(BarChart.Bar("total", from: begin, lasting: metrics.queued + metrics.total, .strong))
        return BarChart.Group(title: title, bars: bars)
    }
}
