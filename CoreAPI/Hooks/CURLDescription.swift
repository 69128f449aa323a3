public import CoreAPICore
internal import Foundation
internal import HTTPTypes

extension Request {
    /// The request as a `curl` command that can be pasted into a POSIX shell.
    ///
    /// With secrets revealed it sends the same method, address, fields and body bytes as the kit; a body that is no text is
    /// written with `printf` and piped. Without, the default, every secret is replaced and the command is for reading.
    ///
    /// - Parameter revealingSecrets: whether credentials and tokens stand in the text. Never log the result if they do.
    public func cURLDescription(revealingSecrets: Bool = false) -> String {
        let redaction = revealingSecrets ? nil : call.channel.redaction
        // The kit sends no header of curl's own, so curl is told to send none either.
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

    /// Linux takes no argument longer than 128 KiB; longer text is piped.
    private static let argumentLimit = 64 * 1_024

    /// Whether a length goes out even without a body (RFC 9110 §8.6).
    private var sendsLength: Bool {
        !body.isEmpty || method == .post || method == .put || method == .patch || method == .query
    }

    /// Whether the transport asks for compression and undoes it. It does not for a caller who asks for a coding or a range.
    private var acceptsCompression: Bool { headers[.acceptEncoding] == nil && headers[.range] == nil }

    /// The fields that the transport sends of its own accord are written too, but for those that curl makes itself.
    private var wireHeaders: [HTTPField] {
        // Framing is the transport's, and curl's.
        var fields = Array(headers).filter { $0.name != .contentLength && $0.name != .transferEncoding }
        if headers[.userAgent] == nil, let agent = HTTPField.Name("User-Agent") {
            fields.append(HTTPField(name: agent, value: Kit.userAgent))
        }
        return fields
    }
}

extension String {
    /// In single quotes, where a POSIX shell reads everything as it stands.
    fileprivate var shellQuoted: String {
        "'" + replacing("'", with: "'\\''") + "'"
    }

    /// Three digits, as `printf` wants its octal escapes.
    fileprivate var leftPadded: String {
        String(repeating: "0", count: max(0, 3 - count)) + self
    }
}
