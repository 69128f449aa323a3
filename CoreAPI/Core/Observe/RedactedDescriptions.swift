internal import CoreAPIHTTP
package import CoreAPIRedaction
internal import Foundation
internal import HTTPTypes

/// A type that prints itself without secrets, because sooner or later it ends up in a log. Its mirror shows the same, because
/// `dump` and a failed expectation look into every value.
protocol Redacted: CustomReflectable, CustomStringConvertible, CustomDebugStringConvertible {}

extension Redacted {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Redaction {
    /// Names and values of fields, secrets hidden.
    func lines(of headers: HTTPFields) -> [String] {
        headers.map { "\($0.name.rawName): \(redact($0.value, under: $0.name.rawName))" }
    }
}

extension String {
    /// The values of a `Cookie` field that are long enough for a session's.
    fileprivate var cookieValues: [String] {
        split(separator: ";").compactMap { $0.split(separator: "=", maxSplits: 1).last?.trimmingHTTPWhitespace() }
            .filter { $0.utf8.count >= 12 }
    }
}

extension Request: Redacted {
    /// The channel's redaction, which hides the request's own secrets, too: a server may repeat a key that it rejects.
    package var redaction: Redaction { call.channel.redaction.hiding(values: secrets) }

    fileprivate var secrets: [String] {
        let rules = call.channel.redaction
        var secrets: [String] = []
        for field in headers where rules.hides(field.name.rawName) {
            secrets.append(field.value)
            // `Bearer abc` is repeated without its scheme.
            if let space = field.value.firstIndex(of: " ") {
                secrets.append(String(field.value[field.value.index(after: space)...]))
            }
            if field.name == .cookie { secrets += field.value.cookieValues }
        }
        for item in url.queryItems where rules.hides(item.name, inForm: true) {
            if let value = item.value { secrets.append(value) }
        }
        return secrets
    }

    /// Method, address and fields, secrets hidden; the body only by its size.
    public var description: String { "\(wire.description(by: redaction)), attempt \(attempt)" }
}

extension Request.Wire: Redacted {
    /// As ``Request/description``, by the kit's own redaction.
    public var description: String { description(by: Redaction()) }

    fileprivate func description(by redaction: Redaction) -> String {
        let fields = redaction.lines(of: headers).joined(separator: "; ")
        return "\(method.rawValue) \(redaction.redact(url: url)) [\(fields)], \(body)".escapingControls
    }
}

extension RawResponse: Redacted {
    /// As ``Request/redaction``, for the requests of all hops.
    var redaction: Redaction {
        let sent = (attempt.map { [$0] } ?? []) + hops
        return call.channel.redaction.hiding(values: sent.flatMap(\.request.secrets))
    }

    /// As ``Response/description``.
    public var description: String { Response<Void>(self).description }
}

extension Response: Redacted {
    /// As ``Request/redaction``, for the response's fields and body.
    package var redaction: Redaction { raw.redaction }

    /// Status, fields, size and how it ended, secrets hidden.
    public var description: String {
        let outcome = error.map { $0.description } ?? "success"
        guard let head else { return "no response: \(outcome)" }
        return "\(head.description(by: redaction)), \(data.count) bytes, \(outcome)".escapingControls
    }
}

extension Header: Redacted {
    /// Name and value, the value hidden under a name that holds a secret.
    public var description: String { "\(name): \(Redaction().redact(value, under: name))" }
}

extension QueryItem: Redacted {
    /// Name and value, the value hidden under a name that holds a secret.
    public var description: String { "\(name)=\(value.map { Redaction().redact($0, inFormUnder: name) } ?? "")" }
}

extension Headers: Redacted {
    /// Names and values, values hidden under names that hold secrets.
    public var description: String { elements.map { "\(Header($0.name, $0.value))" }.joined(separator: "; ") }
}

extension Headers.Element: Redacted {
    /// As ``Header/description``.
    public var description: String { "\(Header(name, value))" }
}

extension Body: Redacted {
    /// The size, without the bytes.
    public var description: String {
        switch self {
        case .none: "no body"
        case .bytes(let data): "\(data.count) bytes"
        case .file: "a file"
        case .stream(let stream): stream.length.map { "a stream of \($0) bytes" } ?? "a stream"
        }
    }
}

// Without the fields and the body of the response, which `head` and `body` have.
extension APIClientError.Context: Redacted {}

extension Authorization: Redacted {
    /// The scheme without its credentials.
    public var description: String { "\(value.prefix { $0 != " " }) \(Redaction.mask)" }
}

extension Call: Redacted {
    /// Id, channel and endpoint, secrets hidden.
    public var description: String {
        "call \(id), channel \(channel.name), endpoint \(channel.redaction.redact(text: endpoint))".escapingControls
    }
}

extension TransportError: Redacted {
    /// What was expected and what arrived, for developers. Secrets are redacted, because a reason may repeat a server's text.
    public var description: String { Redaction().redact(text: errorDescription ?? label).escapingControls }
}

extension VerificationError: Redacted {
    /// What was expected and what arrived, for developers; secrets redacted.
    public var description: String { Redaction().redact(text: errorDescription ?? label).escapingControls }
}

extension ResponseHead: Redacted {
    /// Status and fields, secrets hidden.
    public var description: String { description(by: Redaction()).escapingControls }

    fileprivate func description(by redaction: Redaction) -> String {
        "\(status.code) [\(redaction.lines(of: headers).joined(separator: "; "))]"
    }
}

extension Channel: Redacted {
    /// Name, environment and address, secrets hidden. ``stages`` and ``differences(from:)`` show more.
    public var description: String {
        let environment = environmentSwitch?.environment ?? environment
        return "channel \(name), \(environment.description(by: redaction))".escapingControls
    }
}

extension APIEnvironment: Redacted {
    /// Name and address, secrets hidden.
    public var description: String { description(by: Redaction()) }

    fileprivate func description(by redaction: Redaction) -> String {
        let address = baseURL.isEmpty ? "without a base URL" : "at \(redaction.redact(base: baseURL))"
        return "environment \(name) \(address)\(isSimulated ? ", simulated" : "")".escapingControls
    }
}

extension BaseURL: Redacted {
    /// The address, secrets hidden.
    public var description: String {
        "base URL \(string.map { Redaction().redact(base: $0) } ?? "of the environment")".escapingControls
    }
}

extension TypedEndpoint: Redacted {
    /// The endpoint's name.
    public var description: String { name }
}

extension APIRequest: Redacted {
    /// The endpoint's name and the environment, secrets hidden.
    public var description: String { "\(Redaction().redact(text: endpoint.description)), \(environment)".escapingControls }
}

extension CommonDispatcher: Redacted {
    /// The channel, as in ``Channel/description``.
    public var description: String { "dispatcher of \(channel)" }
}

extension NetworkManager: Redacted {
    /// The channel, as in ``Channel/description``.
    public var description: String { "manager of \(channel.map { "\($0)" } ?? "a custom dispatcher")" }
}
