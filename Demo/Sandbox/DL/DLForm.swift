import Foundation

/// A form with files (RFC 7578), as the second-hand shop reads it.
struct DLForm {
    struct Part {
        let name: String
        /// Only a file has one.
        let fileName: String?
        let bytes: Data
    }

    let parts: [Part]

    /// The text of a field; `nil` if the form has no such field.
    subscript(name: String) -> String? {
        parts.first { $0.name == name && $0.fileName == nil }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// - Throws: ``Mishap``
    init(_ request: SandboxRequest) throws(Mishap) {
        guard let boundary = Self.parameter("boundary", of: request.header("content-type") ?? "") else { throw .malformedBody }
        var rest = Data("\r\n".utf8) + (try request.wholeBody())
        let delimiter = Data("\r\n--\(boundary)".utf8)
        guard let first = rest.range(of: delimiter) else { throw .malformedBody }
        rest = Data(rest[first.upperBound...])
        var parts: [Part] = []
        while !rest.starts(with: Data("--".utf8)) {
            guard let end = rest.range(of: delimiter), let part = Part(rest[..<end.lowerBound]) else { throw .malformedBody }
            parts.append(part)
            rest = Data(rest[end.upperBound...])
        }
        self.parts = parts
    }

    /// `name` of `form-data; name="title"`.
    fileprivate static func parameter(_ name: String, of field: String) -> String? {
        for part in field.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if pair.count == 2, pair[0].lowercased() == name { return pair[1].trimmingCharacters(in: ["\""]) }
        }
        return nil
    }
}

extension DLForm.Part {
    /// - Parameter bytes: from the end of the boundary to the next one.
    fileprivate init?(_ bytes: Data) {
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let field = lines.first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
            let name = DLForm.parameter("name", of: field)
        else { return nil }
        self.init(name: name, fileName: DLForm.parameter("filename", of: field), bytes: Data(bytes[end.upperBound...]))
    }
}
