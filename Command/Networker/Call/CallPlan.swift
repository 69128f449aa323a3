import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import Foundation
import HTTPTypes

/// A request as the words and options of a command line describe it.
struct CallPlan: Sendable {
    /// The form of the body that items make.
    enum BodyForm: String, Sendable, Hashable {
        case json, form, multipart
    }

    let target: CallTarget
    let method: HTTPRequest.Method
    /// Below the base URL; with all query items.
    let path: String
    let headers: [HeaderLine]
    /// `nil` for no body.
    let encoding: InputEncoding?
    /// Whether a value or the body was read from standard input.
    let readsStandardInput: Bool
    /// Whether a body was to be expected: the method takes one, or none is named.
    let lacksBody: Bool

    /// - Parameters:
    ///   - words: a channel, a method and a path, or a method and an address, or an address; then items.
    ///   - options: where a channel's requests go.
    ///   - lines: the headers of `--header`.
    ///   - data: the body of `--data`.
    ///   - file: the body of an upload.
    ///   - form: how items become a body.
    /// - Throws: `ValidationError` that names the word and states what was expected.
    init(
        _ words: [String], _ options: ChannelOptions = ChannelOptions(), headers lines: [HeaderLine] = [],
        data: CallBody? = nil, file: URL? = nil, form: BodyForm = .json
    ) throws {
        var words = words[...]
        let start = try Start(&words, options)
        let items = try words.map(RequestItem.init)
        target = start.target
        headers = lines + (try items.filter { $0.kind == .header }.map { try HeaderLine(name: $0.name, value: $0.value) })
        try headers.checkNamesAreDistinct()

        let values = items.filter { $0.kind != .header && $0.kind != .query }
        let hasBody = data != nil || file != nil || !values.isEmpty
        method = start.method ?? (hasBody ? .post : .get)
        // A parameter of a GET belongs into its query, as for every endpoint.
        let isQuery = !method.takesValuesInBody
        if data != nil, let value = values.first, method.takesValuesInBody {
            throw ValidationError(
                "'\(value.name.escapingControls)' and --data would both be the body of the \(method.rawValue); expected one of "
                    + "them, or \(value.name.escapingControls)==… for the query")
        }
        if file != nil, isQuery {
            throw ValidationError("a \(method.rawValue) has no body; expected a method such as POST or PUT")
        }
        if file != nil, let value = values.first {
            throw ValidationError(
                "'\(value.name.escapingControls)' would be a second body beside the file; expected "
                    + "\(value.name.escapingControls)==… for the query")
        }
        if isQuery, let value = values.first(where: { $0.kind != .text }) {
            throw ValidationError(
                "'\(value.name.escapingControls)' needs a body, and values of a \(method.rawValue) go into its query; expected "
                    + "name=value or name==value")
        }
        if form != .json, data == nil, isQuery || values.isEmpty {
            throw ValidationError(
                "--\(form.rawValue) needs a body; expected an item name=value, and a method such as POST, got \(method.rawValue)")
        }
        let readers = items.count(where: \.readsStandardInput) + (data?.isFromStandardInput == true ? 1 : 0)
        guard readers <= 1 else { throw ValidationError("standard input is read once; expected one '@-'") }
        readsStandardInput = readers == 1
        lacksBody = !hasBody && start.method?.takesValuesInBody != false
        path = try start.path.appending(items.filter { $0.kind == .query || isQuery && $0.kind == .text })
        let body = isQuery ? [] : values
        encoding =
            if let file {
                .body(.file(file), contentType: file.mediaType)
            } else if let data {
                .body(.bytes(data.bytes), contentType: form == .json ? data.contentType : "application/x-www-form-urlencoded")
            } else if !body.isEmpty {
                try Self.encoding(body, form, headers)
            } else {
                nil
            }
    }

    /// The part of a command line before its items.
    private struct Start {
        let target: CallTarget
        let method: HTTPRequest.Method?
        let path: String

        init(_ words: inout ArraySlice<String>, _ options: ChannelOptions) throws {
            let registry = CommandSetup.current.registry
            guard let first = words.popFirst() else {
                throw ValidationError(
                    "expected an address, or a channel, a method and a path: \((registry.names.first ?? "CHANNEL")) GET orders")
            }
            if registry.entry(first) == nil, let method = try? HTTPRequest.Method(argument: first), let next = words.first {
                if registry.entry(next) != nil {
                    throw ValidationError(
                        "the channel comes before the method; expected '\(next.escapingControls) \(method.rawValue) …'")
                }
                if let address = try Address(next) {
                    words.removeFirst()
                    self = try Start(address, next, method, options)
                    return
                }
            }
            if registry.entry(first) == nil, let address = try Address(first) {
                self = try Start(address, first, nil, options)
                return
            }
            target = try options.target(first, orAny: RootCommand.names)
            guard let word = words.popFirst() else {
                throw ValidationError("expected a method and a path after '\(first.escapingControls)', such as GET orders")
            }
            if word.containsOctets(of: "://") {
                throw ValidationError(
                    "'\(first.escapingControls)' names its own host; expected a path below it, or the address without the channel"
                )
            }
            method = try HTTPRequest.Method(argument: word)
            guard let path = words.popFirst() else {
                throw ValidationError(
                    "expected a path after the method '\(word.escapingControls)', such as "
                        + "'\(first.escapingControls) \(word.escapingControls) orders'")
            }
            if path.containsOctets(of: "://") {
                throw ValidationError(
                    "'\(first.escapingControls)' names its own host; expected a path below it, or the address without the channel"
                )
            }
            // The call reports a malformed base URL of the environment, because that is a problem of the channel.
            if let base = try? HTTPURL(target.channel().environment.baseURL) { try base.check(path: path) }
            self.path = path
        }

        private init(_ address: Address, _ word: String, _ method: HTTPRequest.Method?, _ options: ChannelOptions) throws {
            target = try options.target(word)
            self.method = method
            path = address.target
            try address.origin.check(path: path)
        }
    }

    private static func encoding(_ items: [RequestItem], _ form: BodyForm, _ headers: [HeaderLine]) throws -> InputEncoding {
        if let file = items.first(where: { $0.kind == .file }), form == .json {
            throw ValidationError("'\(file.name.escapingControls)@…' sends a file, which needs a form; add --form")
        }
        if form != .json, let item = items.first(where: { $0.formText == nil }) {
            throw ValidationError("'\(item.name.escapingControls):=' is a list or an object, which a form cannot hold")
        }
        switch form {
        case .json:
            return .body(.bytes(Data(items.jsonObject.utf8)), contentType: "application/json")
        case .form where !items.contains(where: { $0.kind == .file }):
            let text = items.map { "\(PercentEncoding.form($0.name))=\(PercentEncoding.form($0.formText ?? ""))" }
            return .body(.bytes(Data(text.joined(separator: "&").utf8)), contentType: "application/x-www-form-urlencoded")
        case .form, .multipart:
            let form = MultipartForm(items.map(\.part))
            if let type = headers.first(where: { $0.name.lowercased() == "content-type" }) {
                throw ValidationError(
                    "a form with files has its own Content-Type, with the boundary; expected no '\(type.name)'")
            }
            do {
                _ = try form.body()
            } catch {
                let file = (error as? FileFailure).map { "'\($0.path.escapingControls)'" } ?? "a file"
                throw ValidationError("cannot read \(file) for the form: \(error.systemReason); expected a readable file")
            }
            return .multipart(form)
        }
    }

    /// - Parameters:
    ///   - timeout: the limit of the whole call.
    ///   - accept: the value of `Accept`, unless a header of the command line has another.
    func endpoint(timeout: Duration, accept: String) -> some Endpoint {
        var fields: Headers = ["Accept": accept]
        for line in headers { fields[line.name] = line.value }
        return TypedEndpoint(
            method, path, encoding: encoding, headers: fields,
            modifiers: [Timeout(connect: min(timeout, .seconds(10)), idle: timeout, total: timeout)],
            name: "\(method.rawValue) \(path.before(anyOf: "?"))")
    }
}

extension String {
    /// The path with further query items.
    fileprivate func appending(_ items: [RequestItem]) throws -> String {
        guard !items.isEmpty else { return self }
        var url = try HTTPURL("http://localhost")
        for item in items { url.appendQuery(item.name, item.value) }
        return "\(self)\(containsOctets(of: "?") ? "&" : "?")\(url.query ?? "")"
    }
}

extension [RequestItem] {
    /// A JSON object, in the order of the items; a repeated name becomes a list. Numbers keep their digits.
    fileprivate var jsonObject: String {
        var names: [String] = []
        // By octets: two forms of "é" are two names.
        var values: [Data: [String]] = [:]
        for item in self {
            let name = Data(item.name.utf8)
            if values[name] == nil { names.append(item.name) }
            values[name, default: []].append(item.kind == .json ? item.value : item.value.jsonString)
        }
        let members = names.map { name in
            let all = values[Data(name.utf8)] ?? []
            return "\(name.jsonString):\(all.count == 1 ? all[0] : "[\(all.joined(separator: ","))]")"
        }
        return "{\(members.joined(separator: ","))}"
    }
}

extension String {
    /// As a string of JSON (RFC 8259 §7).
    fileprivate var jsonString: String {
        let text = unicodeScalars.reduce(into: "\"") { text, scalar in
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\u{00}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

extension RequestItem {
    /// The text of the item in a form; `nil` for a list or an object of JSON.
    fileprivate var formText: String? {
        guard kind == .json, let json = try? JSONValue(parsing: Data(value.utf8)) else { return value }
        return switch json {
        case .string(let text): text
        case .array, .object: nil
        // As typed, so that numbers keep their digits.
        case .null, .bool, .decimal, .double: value.trimmingHTTPWhitespace()
        }
    }

    fileprivate var part: MultipartForm.Part {
        guard kind == .file else { return .text(name, formText ?? value) }
        // As in HTTPie and curl: photo@bag.jpg;type=image/jpeg
        let typed = value.split(atFirst: ";type=")
        let url = URL(fileURLWithPath: typed.map { String($0.before) } ?? value)
        return .file(name, url, contentType: typed.map { String($0.after) } ?? url.mediaType)
    }
}

extension URL {
    /// The media type that the extension of the name stands for.
    var mediaType: String {
        switch pathExtension.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "svg": "image/svg+xml"
        case "pdf": "application/pdf"
        case "json": "application/json"
        case "xml": "application/xml"
        case "csv": "text/csv"
        case "txt": "text/plain"
        case "html": "text/html"
        case "zip": "application/zip"
        default: "application/octet-stream"
        }
    }
}
