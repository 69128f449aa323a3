import CoreAPI
import CoreAPICurl
import Foundation
import HTTPTypes

/// Checks each step of a connection, in order. Each check is one finding.
struct Examination {
    struct Finding: Encodable, Equatable {
        enum Verdict: String, Encodable {
            case good, warning, bad
        }

        let subject: String
        let verdict: Verdict
        let text: String
    }

    let channel: Channel
    /// Below the base URL, for the request.
    var path = ""
    let timeout: Duration
    var now: @Sendable () -> Date = { Date() }

    func findings() async -> [Finding] {
        var findings = channel.problems.map { Finding(subject: "channel", verdict: .bad, text: $0) }
        findings += channel.warnings.map { Finding(subject: "channel", verdict: .warning, text: $0) }
        guard channel.problems.isEmpty else { return findings }
        if let missing = missingAuthority() { return findings + [missing] }
        // Only the environment: the channel's credentials and errors do not affect the connection to its server.
        var bare = Channel(name: channel.name, environment: channel.environment)
        bare.modifiers = [Timeout(timeout), StatusCodeResponseVerifier(100..<1_000)]
        bare.limits.redirects = 0
        // GET, because some servers do not answer HEAD over HTTP/2.
        let response = await CommonDispatcher(channel: bare).response(for: TypedEndpoint.get(path), as: .nothing)
        let rejection: String? =
            if let failure = failure(of: response) {
                await IdentityProbe(channel: bare, limit: timeout).rejection(after: failure)
            } else { nil }
        await bare.close()
        let way = rejection.map { rejected(identity: $0, response) } ?? way(response)
        findings += way
        guard response.head != nil, !way.contains(where: { $0.verdict == .bad }) else { return findings }
        if let clock = clock(response) { findings.append(clock) }
        return findings + (await certificates())
    }

    /// Without its authorities no server can be verified, so TLS's error would be misleading.
    private func missingAuthority() -> Finding? {
        let address = try? HTTPURL(channel.environment.baseURL)
        guard address?.scheme == .https, case .file(let path) = channel.environment.serverTrustManager.authorities,
            !FileManager.default.isReadableFile(atPath: path)
        else { return nil }
        let advice =
            path == ServerTrustManager.localAuthorityFile
            ? "\(CommandSetup.sandbox) writes this file while it runs; start it in another terminal, or pass --authority system"
            : "pass a readable one with --authority"
        return Finding(
            subject: "authorities", verdict: .bad, text: "the file '\(path)' is missing or not readable; \(advice)")
    }

    /// The server's name.
    private var host: String { (try? HTTPURL(channel.environment.baseURL))?.host ?? channel.environment.baseURL }

    /// A server that wants a client certificate, or rejects this one.
    private func rejected(identity reason: String, _ response: Response<Void>) -> [Finding] {
        let hasIdentity = channel.environment.serverTrustManager.identity != nil
        let isSure = !reason.lowercased().contains("handshake failure")
        let text =
            switch (hasIdentity, isSure) {
            case (true, _):
                "the server rejects the client's certificate (\(reason)); check that it is valid and of an authority that the "
                    + "server trusts"
            case (false, true): "the server wants a client certificate, and there is none (\(reason)); \(Self.identityAdvice)"
            case (false, false):
                "the server rejects the handshake (\(reason)); it may want a client certificate: \(Self.identityAdvice)"
            }
        return connection(to: host, response) + [Finding(subject: "client certificate", verdict: .bad, text: text)]
    }

    private static let identityAdvice =
        "give one in the environment: serverTrustManager.identity = .pem(certificates: …, key: …)"

    private func way(_ response: Response<Void>) -> [Finding] {
        // Any head suffices; the body does not matter.
        if response.head == nil, let error = response.error, error.underlyingError as? TransportError == nil {
            return [Finding(subject: "exchange", verdict: .bad, text: error.reason)]
        }
        guard let failure = failure(of: response) else {
            var findings = connection(to: host, response) + (response.metrics.map(secured) ?? [])
            if IdentityProbe.isAboutIdentity(response), let status = response.head?.status.code {
                let text = "the server answers \(status), because it wants a client certificate; \(Self.identityAdvice)"
                findings.append(Finding(subject: "client certificate", verdict: .warning, text: text))
            }
            return findings + [answer(response)].compactMap(\.self)
        }
        let before = before(failure, to: host, response)
        let subject: String
        let advice: String
        switch failure {
        case .cannotResolveHost: (subject, advice) = ("DNS", "check the name and this machine's name servers")
        case .cannotConnect, .timedOut(.connect, _):
            (subject, advice) = ("connection", "check that the server runs, and that no firewall or proxy blocks it")
        case .proxy(_, let source, _, _):
            (subject, advice) = ("proxy", "check the variable \(source), or name the host in no_proxy")
        case .tls(_, let reason) where reason.contains("wrong version number"):
            (subject, advice) = ("TLS", "the server speaks clear text; write http:// if that is intended")
        case .tls:
            (subject, advice) = (
                "TLS",
                "check that the certificate is for this host, has not expired and is signed by one of "
                    + (channel.environment.name == ChannelEntry.Place.addressName
                        ? "this system's authorities (--authority names another)"
                        : "the environment's authorities (--authority names another)")
                    + ", and that this machine's clock is right"
            )
        case .pinMismatch:
            (subject, advice) = (
                "pins", "'\(CommandSetup.current.name) pins \(host)' shows the server's pins; the pin set needs one of them"
            )
        case .malformedResponse: (subject, advice) = ("exchange", "the server was reached, but its response is not HTTP")
        case .timedOut:
            (subject, advice) = ("exchange", "the server did not answer in time; --timeout sets another limit, in seconds")
        default: return before + [Finding(subject: "exchange", verdict: .bad, text: failure.readableDescription)]
        }
        return before + [Finding(subject: subject, verdict: .bad, text: "\(failure.readableDescription); \(advice)")]
    }

    /// The steps before a failure, which were taken. libcurl 8 does not name the address of a connection whose TLS has failed.
    private func before(_ failure: TransportError, to host: String, _ response: Response<Void>) -> [Finding] {
        switch failure {
        case .cannotResolveHost, .cannotConnect, .timedOut(.connect, _), .proxy: return []
        case .tls, .pinMismatch: return connection(to: host, response)
        default: break
        }
        guard let metrics = response.metrics, metrics.remoteAddress != nil else { return [] }
        return connection(to: host, response) + secured(metrics)
    }

    private func secured(_ metrics: ExchangeMetrics) -> [Finding] {
        metrics.tls == nil ? [] : [Finding(subject: "TLS", verdict: .good, text: "the server is verified")]
    }

    /// The failure without any response, or of a proxy, which may answer itself.
    private func failure(of response: Response<Void>) -> TransportError? {
        guard case .transport(let failure, _)? = response.error else { return nil }
        if case .proxy = failure { return failure }
        return response.head == nil ? failure : nil
    }

    /// The address and the port of a connection through a proxy are the proxy's.
    private func connection(to host: String, _ response: Response<Void>) -> [Finding] {
        guard let url = response.request?.url, let proxy = ProxyEnvironment.current?.proxy(for: url) else {
            let port = response.metrics?.remotePort.map(String.init) ?? response.request.map { "\($0.url.effectivePort)" } ?? "?"
            let connected = Finding(subject: "connection", verdict: .good, text: "port \(port) answers")
            guard let address = response.metrics?.remoteAddress else {
                return [Finding(subject: "DNS", verdict: .good, text: "\(host) has an address"), connected]
            }
            // An address is not looked up.
            guard host != address, host != "[\(address)]" else { return [connected] }
            return [Finding(subject: "DNS", verdict: .good, text: "\(host) is \(address)"), connected]
        }
        let name = "\(proxy.host) (from \(proxy.source))"
        // Through a tunnel these are the server's.
        if url.scheme == .http, let status = response.head?.status.code, [502, 503, 504].contains(status) {
            let text = "\(name) answers with the status \(status); it may be unable to reach \(host)"
            return [Finding(subject: "proxy", verdict: .warning, text: text)]
        }
        return [Finding(subject: "proxy", verdict: .good, text: "\(name) answers, and connects to \(host) itself")]
    }

    /// The status for the path of an address. A channel's base URL by itself often has no page, so its status says nothing.
    private func answer(_ response: Response<Void>) -> Finding? {
        guard let status = response.head?.status.code, let url = response.request?.url, !["", "/"].contains(path) else {
            return nil
        }
        return Finding(
            subject: "answer", verdict: status < 400 ? .good : .warning,
            text: "GET \(channel.redaction.redact(url: url)) has the status \(status)")
    }

    /// A wrong clock makes valid certificates appear expired or not yet valid.
    private func clock(_ response: Response<Void>) -> Finding? {
        guard let text = response.head?.headers[.date], let date = HTTPDate.date(text) else { return nil }
        let skew = Int(now().timeIntervalSince(date).rounded())
        return abs(skew) <= 60
            ? Finding(subject: "clock", verdict: .good, text: "within a minute of the server's")
            : Finding(
                subject: "clock", verdict: abs(skew) > 86_400 ? .bad : .warning,
                text: "\(abs(skew)) seconds \(skew > 0 ? "ahead of" : "behind") the server's; set this machine's clock")
    }

    private func certificates() async -> [Finding] {
        guard let address = try? HTTPURL(channel.environment.baseURL), address.scheme == .https else { return [] }
        let trust = channel.environment.serverTrustManager
        let certificates: [Certificate]
        do {
            certificates = try await ChainProbe(address: address, trust: trust, timeout: timeout).certificates()
        } catch {
            return [
                Finding(
                    subject: "certificates", verdict: .warning, text: "the chain could not be read: \(error.readableDescription)"
                )
            ]
        }
        var findings: [Finding] = []
        let ends = certificates.compactMap { try? $0.details.notAfter }
        if let end = ends.min() {
            let rest = end.timeIntervalSince(now())
            let days = Int(rest / 86_400)
            let left = days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
            findings.append(
                Finding(
                    subject: "expiry", verdict: rest < 0 ? .bad : days < 21 ? .warning : .good,
                    text: rest < 0 ? "a certificate of the chain has expired; renew it" : "the chain is valid for another \(left)"
                ))
        }
        let pins = trust.isPinningActive ? trust.pins.pins(for: address.host) : []
        if pins.isEmpty {
            findings.append(Finding(subject: "pins", verdict: .good, text: "the environment pins no key of \(address.host)"))
        } else {
            let matches = certificates.filter { pins.contains($0.pin) }.count
            findings.append(
                Finding(
                    subject: "pins", verdict: matches > 0 ? .good : .bad,
                    text: "\(matches) of \(certificates.count) certificates match one of \(pins.count) pins"))
        }
        return findings
    }
}
