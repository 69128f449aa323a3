internal import CoreAPIHTTP
package import CoreAPIRedaction
package import Foundation
internal import HTTPTypes

extension Request {
    /// The request as a `curl` command that can be pasted into a POSIX shell.
    ///
    /// With secrets revealed, which no log may have, it sends the same method, address, fields and body bytes as the kit. A body
    /// that is no text is written with `printf` and piped. A ``MultipartForm`` of texts and files is sent part by part, with a
    /// boundary of curl's; any other stream is read from standard input. By default every secret is replaced, and so is a body
    /// that is neither JSON nor a form; the command is only for reading.
    public func cURLDescription(revealingSecrets: Bool = false) -> String {
        cURLDescription(revealingSecrets: revealingSecrets, options: [])
    }

    package func cURLDescription(revealingSecrets: Bool, options: [(name: String, value: String)]) -> String {
        let redaction = revealingSecrets ? nil : call.channel.redaction
        // The kit sends none of curl's own headers, so curl must not send them either.
        var words = ["curl", "--globoff", "--path-as-is"]
        switch method {
        case .get where body.isEmpty: break
        case .head: words.append("--head")
        default: words += ["--request", method.rawValue.shellQuoted]
        }
        let form = formOptions(redaction)
        // The transport, or curl, adds framing.
        var fields = Array(headers).filter { $0.name != .contentLength && $0.name != .transferEncoding }
        if headers[.userAgent] == nil { fields.append(HTTPField(name: .userAgent, value: Kit.userAgent)) }
        for field in fields where form == nil || field.name != .contentType {
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
            if let redaction {
                let text = redaction.redact(body: data, type: MediaType(headers), upTo: Self.argumentLimit)
                words += ["--data-raw", text.shortened(to: Self.argumentLimit).shellQuoted]
            } else if let text = String(validating: data, as: UTF8.self), !data.contains(0), data.count <= Self.argumentLimit {
                words += ["--data-raw", text.shellQuoted]
            } else {
                // Three digits, because `printf` expects its octal escapes in this form.
                prefix = "printf '\(data.map { "\\" + String($0, radix: 8, width: 3) }.joined())' | "
                words += ["--data-binary", "@-"]
            }
        case .file(let url): words += ["--data-binary", "@\(url.path)".shellQuoted]
        case .stream where form != nil: words += form ?? []
        case .stream:
            prefix = "# the body is a stream and is read from standard input\n"
            words += ["--data-binary", "@-"]
        }
        for option in options { words += [option.name, option.value.shellQuoted] }
        words.append((redaction?.redact(url: url) ?? url.string).shellQuoted)
        return prefix + words.joined(separator: " ")
    }

    /// A form in curl's options, which add its `Content-Type`; `nil` for another body, and for a form that they cannot express.
    private func formOptions(_ redaction: Redaction?) -> [String]? {
        guard case .stream(let stream) = body, let form = MultipartForm(stream) else { return nil }
        var words: [String] = []
        for part in form.parts {
            guard let option = part.curlOption(redaction), option.value.utf8.count <= Self.argumentLimit else { return nil }
            words += [option.name, option.value.shellQuoted]
        }
        return words
    }

    /// Linux accepts no argument longer than 128 KiB; longer text is piped.
    private static let argumentLimit = 64 * 1_024

    /// Whether a length is sent even without a body (RFC 9110 §8.6).
    private var sendsLength: Bool { !body.isEmpty || method == .post || method == .put || method == .patch || method == .query }
    /// Whether the transport adds `Accept-Encoding` and decompresses.
    private var acceptsCompression: Bool { headers[.acceptEncoding] == nil && headers[.range] == nil }
}

extension MultipartForm.Part {
    /// The part as an option of curl; `nil` for a stream, for bytes that are no text, and for a name that curl would split.
    fileprivate func curlOption(_ redaction: Redaction?) -> (name: String, value: String)? {
        guard !name.utf8.contains(UInt8(ascii: "=")) else { return nil }
        var about = contentType.map { ";type=\($0)" } ?? ""
        if let fileName { about += ";filename=\(fileName.quotedForCurl)" }
        switch body {
        case .none: return ("--form", "\(name)=\"\"\(about)")
        case .file(let url):
            // curl sends the file's name unless it reads the value with "<".
            return ("--form", "\(name)=\(fileName == nil ? "<" : "@")\(url.path.quotedForCurl)\(about)")
        case .bytes(let data):
            let text = data.contains(0) ? nil : String(validating: data, as: UTF8.self)
            guard let value = redaction.map({ shown(data, by: $0) }) ?? text else { return nil }
            if about.isEmpty { return ("--form-string", "\(name)=\(value)") }
            return ("--form", "\(name)=\(value.quotedForCurl)\(about)")
        case .stream: return nil
        }
    }

    /// The bytes of this part for people, secrets hidden. A part with a file's name or a media type is a body of its own.
    package func shown(_ data: Data, by redaction: Redaction) -> String {
        if contentType == nil, fileName == nil, !data.contains(0), let text = String(validating: data, as: UTF8.self) {
            return redaction.redact(text, inFormUnder: name)
        }
        let type = contentType.flatMap { MediaType($0) }
        return redaction.hides(name, inForm: true) ? Redaction.mask : redaction.redact(body: data, type: type)
    }
}

extension String {
    /// In double quotes, as a part of the value of curl's `--form`.
    fileprivate var quotedForCurl: String { "\"" + replacingScalars(["\\": "\\\\", "\"": "\\\""]) + "\"" }
    /// In single quotes, in which a POSIX shell replaces nothing.
    fileprivate var shellQuoted: String { "'" + replacingScalars(["'": "'\\''"]) + "'" }
}
