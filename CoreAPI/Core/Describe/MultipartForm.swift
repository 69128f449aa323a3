internal import CoreAPIHTTP
public import Foundation
internal import HTTPTypes

/// A form with files, `multipart/form-data` (RFC 7578), sent part by part and never held in memory as a whole.
///
/// ```swift
/// let form = MultipartForm([
///     .text("title", "Bez çanta"),
///     .file("photo", URL(fileURLWithPath: "bag.jpg"), contentType: "image/jpeg"),
/// ])
/// let item = try await manager.request(.post("items", encoding: .multipart(form)), as: Item.self)
/// ```
///
/// The request has a `Content-Length` if the length of every part is known, else it is chunked. A file that shrinks or grows
/// while it is sent fails the call with ``TransportError/bodyUnreadable(_:)``.
public struct MultipartForm: Sendable {
    /// One field of a form.
    public struct Part: Sendable {
        /// The field's name. Quotes, CR and LF are percent-encoded (WHATWG HTML, "multipart/form-data encoding algorithm").
        public var name: String
        /// The name that the server sees for a file; `nil` for a field without one.
        public var fileName: String?
        /// The part's media type; `nil` for text.
        public var contentType: String?
        /// The field's value: bytes, a file or a stream.
        public var body: Body

        /// Makes a field of any body. `fileName` and `contentType` are `nil` for text.
        public init(_ name: String, body: Body, fileName: String? = nil, contentType: String? = nil) {
            (self.name, self.fileName, self.contentType, self.body) = (name, fileName, contentType, body)
        }

        /// A field with text.
        public static func text(_ name: String, _ value: String) -> Part { Part(name, body: .bytes(Data(value.utf8))) }

        /// A file in memory.
        public static func data(
            _ name: String, _ data: Data, fileName: String, contentType: String = "application/octet-stream"
        ) -> Part { Part(name, body: .bytes(data), fileName: fileName, contentType: contentType) }

        /// A file, read while it is sent. A `fileName` of `nil` is the file's own name.
        public static func file(
            _ name: String, _ url: URL, fileName: String? = nil, contentType: String = "application/octet-stream"
        ) -> Part { Part(name, body: .file(url), fileName: fileName ?? url.lastPathComponent, contentType: contentType) }
    }

    /// How the name of a file is written if it is not ASCII.
    public enum FileNames: Sendable, Hashable {
        /// In UTF-8, as browsers write it (RFC 7578 §5.1).
        case utf8
        /// Once more as `filename*` (RFC 8187), for servers that read no other form. RFC 7578 §4.2 forbids that in forms.
        case extended
    }

    /// The fields, in the order in which they are sent.
    public let parts: [Part]
    /// How the names of files are written.
    public let fileNames: FileNames
    /// Separates the parts. 128 random bits, so that no part contains it.
    public let boundary: String

    /// Makes a form with a boundary of its own, of fields in the order in which they are sent. A name may occur several times.
    public init(_ parts: [Part], fileNames: FileNames = .utf8) {
        func random() -> String { String(UInt64.random(in: .min ... .max), radix: 16, width: 16) }
        self.init(parts, fileNames: fileNames, boundary: "networkerkit-" + random() + random())
    }

    package init(_ parts: [Part], fileNames: FileNames = .utf8, boundary: String) {
        (self.parts, self.fileNames, self.boundary) = (parts, fileNames, boundary)
    }

    /// The form that a body sends; `nil` for another body.
    package init?(_ body: Body.Stream) {
        guard let form = body.chunks?.origin as? MultipartForm else { return nil }
        self = form
    }

    /// The value of `Content-Type`.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The form as the body of a request. Throws the system's error if the size of a file cannot be read, and
    /// ``RequestError/malformedHeader(name:reason:)`` for a media type that is no header value.
    public func body() throws -> Body {
        for part in parts {
            if let type = part.contentType { _ = try HTTPField(checking: "Content-Type", value: type) }
        }
        // Also for a length that is not known, so that an unreadable file fails before anything is sent.
        let lengths = try parts.map { try $0.body.knownLength() }
        let frame = parts.reduce(end.count) { $0 + head(of: $1).count + 2 }
        let length = lengths.contains(nil) ? nil : lengths.compactMap(\.self).reduce(Int64(frame), +)
        let isReplayable = parts.allSatisfy(\.body.isReplayable)
        let source = ChunkSource(isReplayable: isReplayable, origin: self) {
            var parts = zip(parts, lengths).makeIterator()
            var current: FormPartReader?
            var isEnded = false
            return {
                if let chunk = try await current?.next() { return chunk }
                let closing = current == nil ? Data() : Data("\r\n".utf8)
                current = nil
                if let (part, length) = parts.next() {
                    current = FormPartReader(part, length: length)
                    return closing + head(of: part)
                }
                guard !isEnded else { return nil }
                isEnded = true
                return closing + end
            }
        }
        return .stream(Body.Stream(length: length, source))
    }

    private var end: Data { Data("--\(boundary)--\r\n".utf8) }
    private func head(of part: Part) -> Data { Data(lines(before: part).map { $0 + "\r\n" }.joined().utf8) }

    /// The lines from the boundary before a part to the empty one before its body, without their ends.
    package func lines(before part: Part) -> [String] {
        var disposition = "Content-Disposition: form-data; name=\"\(part.name.quotedInForm)\""
        if let fileName = part.fileName {
            disposition += "; filename=\"\(fileName.quotedInForm)\""
            if fileNames == .extended, !fileName.utf8.allSatisfy({ $0 < 0x80 }) {
                disposition += "; filename*=UTF-8''\(PercentEncoding.component(fileName))"
            }
        }
        return ["--\(boundary)", disposition] + (part.contentType.map { ["Content-Type: \($0)"] } ?? []) + [""]
    }
}

/// Reads one part. The form's length proves nothing: it may be unknown, and two parts may change by opposite numbers.
private struct FormPartReader {
    private let name: String
    private let length: Int64?
    private var chunks: Body.AsyncIterator
    private var count: Int64 = 0

    init(_ part: MultipartForm.Part, length: Int64?) {
        (name, self.length, chunks) = (part.name, length, part.body.makeAsyncIterator())
    }

    mutating func next() async throws -> Data? {
        let chunk = try await chunks.next()
        count += Int64(chunk?.count ?? 0)
        guard let length, chunk == nil ? count != length : count > length else { return chunk }
        throw PartChanged(name: name, expected: length, found: count)
    }
}

/// A part has another number of bytes than when its form was made into a body.
private struct PartChanged: LocalizedError {
    let name: String
    let expected: Int64
    let found: Int64

    var errorDescription: String? {
        let end = found > expected ? "goes on after them" : "ended after \(found)"
        return "the part '\(name)': expected \(expected) bytes, but it \(end)"
    }
}

extension String {
    fileprivate var quotedInForm: String { replacingScalars(["\"": "%22", "\r": "%0D", "\n": "%0A"]) }
}

extension InputEncoding {
    /// Into the body, as a form with files. Parameters are ignored: write them as parts.
    public static func multipart(_ form: MultipartForm) -> InputEncoding {
        InputEncoding("a multipart form") { _, request in
            request.body = try form.body()
            request.headers[.contentType] = form.contentType
        }
    }
}
