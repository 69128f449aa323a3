public import CoreAPICore
internal import Foundation
internal import HTTPTypes

extension Request {
    /// The request as a `curl` command that can be pasted into a POSIX shell.
    ///
    /// With secrets revealed, it sends the same method, address, fields and body bytes as the kit. A body that is no text is
    /// written with `printf` and piped. By default every secret is replaced, and the command is only for reading.
    ///
    /// - Parameter revealingSecrets: whether the text contains credentials and tokens. Never log such a text.
    public func cURLDescription(revealingSecrets: Bool = false) -> String {
        let redaction = revealingSecrets ? nil : call.channel.redaction
        // The kit sends none of curl's own headers, so curl must not send them either.
        var words = ["curl", "--globoff", "--path-as-is"]
        switch method {
        case .get where body.isEmpty: break
        case .head: words.append("--head")
        default: words += ["--request", method.rawValue.shellQuoted]
        }
        for field in wireHeaders {
            let value = redaction?.redact(field.value, under: field.name.rawName) ?? field.value
            words += ["--header", (value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)").shellQuoted]
        }
        for name in ["Accept", "Content-Type", "Expect"]
        where !headers.contains(where: { $0.name.canonicalName == name.lowercased() }) {
            guard name == "Accept" || sendsLength else { continue }
            words += ["--header", "\(name):".shellQuoted]
        }
        if acceptsCompression { words.append("--compressed") }

        var prefix = ""
        switch body {
        case .none: if sendsLength { words += ["--data-raw", "''"] }
        case .bytes(let data):
            let text = String(validating: data, as: UTF8.self)
            if let text, !text.utf8.contains(0), data.count <= Self.argumentLimit {
                words += ["--data-raw", (redaction?.redact(text: text) ?? text).shellQuoted]
            } else if redaction != nil {
                words += ["--data-binary", "<\(data.count) bytes>".shellQuoted]
            } else {
                prefix = "printf '\(data.map { "\\" + String($0, radix: 8).leftPadded }.joined())' | "
                words += ["--data-binary", "@-"]
            }
        case .file(let url): words += ["--data-binary", "@\(url.path)".shellQuoted]
        case .stream:
            prefix = "# the body is a stream and is read from standard input\n"
            words += ["--data-binary", "@-"]
        }
        words.append((redaction?.redact(url: url) ?? url.string).shellQuoted)
        return prefix + words.joined(separator: " ")
    }

    /// Linux accepts no argument longer than 128 KiB; longer text is piped.
    private static let argumentLimit = 64 * 1_024

    /// Whether a length is sent even without a body (RFC 9110 §8.6).
    private var sendsLength: Bool {
        !body.isEmpty || method == .post || method == .put || method == .patch || method == .query
    }

    /// Whether the transport adds `Accept-Encoding` and decompresses. False if the caller sets `Accept-Encoding` or asks for a
    /// range.
    private var acceptsCompression: Bool { headers[.acceptEncoding] == nil && headers[.range] == nil }

    /// Includes the transport's own fields, except for those that curl adds itself.
    private var wireHeaders: [HTTPField] {
        // The transport, or curl, adds framing.
        var fields = Array(headers).filter { $0.name != .contentLength && $0.name != .transferEncoding }
        if headers[.userAgent] == nil, let agent = HTTPField.Name("User-Agent") {
            fields.append(HTTPField(name: agent, value: Kit.userAgent))
        }
        return fields
    }
}

extension String {
    /// In single quotes, in which a POSIX shell replaces nothing.
    fileprivate var shellQuoted: String {
        "'" + replacing("'", with: "'\\''") + "'"
    }

    /// Three digits, because `printf` expects its octal escapes in this form.
    fileprivate var leftPadded: String {
        String(repeating: "0", count: max(0, 3 - count)) + self
    }
}
