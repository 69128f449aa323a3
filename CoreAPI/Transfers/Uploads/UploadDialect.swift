internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// The header fields of a protocol for resumable uploads. Pure: no I/O.
extension ResumableUpload.Dialect {
    var isTus: Bool { self == .tus }

    /// `Upload-Draft-Interop-Version`.
    private var interop: Int {
        switch self {
        case .tus: 0
        case .ietf: 6
        case .ietfInterop5: 5
        case .ietfInterop3: 3
        }
    }

    /// The fields of every request. Requests that ask for the offset or end the upload have no others.
    var common: Headers { isTus ? ["Tus-Resumable": "1.0.0"] : ["Upload-Draft-Interop-Version": "\(interop)"] }

    /// The fields of the request that creates an upload, of a known length or not, and sends no bytes.
    func creation(length: Int64?, metadata: [String: String]) -> Headers {
        var fields = common
        guard isTus else {
            if interop > 5, let length { fields.append("Upload-Length", "\(length)") }
            return fields.merging(completeness(false))
        }
        if let length { fields.append("Upload-Length", "\(length)") } else { fields.append("Upload-Defer-Length", "1") }
        let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0.key) \(Data($0.value.utf8).base64EncodedString())" }
        if !pairs.isEmpty { fields.append("Upload-Metadata", pairs.joined(separator: ",")) }
        return fields
    }

    /// The fields of a request with the bytes from the server's offset on. `end` is the total number of bytes, if it has the last
    /// one. `isDeferred` says that the server does not know the length yet.
    func append(at offset: Int64, end: Int64?, isDeferred: Bool, checksum: String?) -> Headers {
        var fields = common
        fields.append("Upload-Offset", "\(offset)")
        guard isTus else {
            fields.append("Content-Type", "application/partial-upload")
            return fields.merging(completeness(end != nil))
        }
        fields.append("Content-Type", "application/offset+octet-stream")
        if isDeferred, let end { fields.append("Upload-Length", "\(end)") }
        if let checksum { fields.append("Upload-Checksum", checksum) }
        return fields
    }

    /// A boolean of RFC 9651; the oldest draft sends its negation.
    private func completeness(_ isComplete: Bool) -> Headers {
        interop > 3 ? ["Upload-Complete": isComplete ? "?1" : "?0"] : ["Upload-Incomplete": isComplete ? "?0" : "?1"]
    }

    /// What a response says of an upload.
    struct Status: Equatable {
        var offset: Int64?
        var length: Int64?
        var isComplete: Bool?
        var location: String?
        var expires: Date?
        /// The maximum number of bytes in one request.
        var limit: Int64?
    }

    func status(_ fields: HTTPFields) throws(TransportError) -> Status {
        var status = Status()
        status.offset = try number("Upload-Offset", fields)
        status.length = try number("Upload-Length", fields)
        status.location = try text("Location", fields)
        guard !isTus else {
            status.expires = try text("Upload-Expires", fields).flatMap(HTTPDate.date)
            return status
        }
        status.isComplete = try interop > 3 ? flag("Upload-Complete", fields) : flag("Upload-Incomplete", fields).map { !$0 }
        // All lines are one dictionary (RFC 9110 §5.3): `max-size=1000, max-append-size=100`.
        let limits = HTTPField.Name("Upload-Limit").map { fields[values: $0].filter { !$0.isEmpty } } ?? []
        let limit = StructuredField.dictionary(limits.joined(separator: ", "))?["max-append-size"]
        status.limit = limit?.count.flatMap { $0 > 0 ? $0 : nil }
        return status
    }

    private func text(_ name: String, _ fields: HTTPFields) throws(TransportError) -> String? {
        guard let field = HTTPField.Name(name) else { return nil }
        let values = Set(fields[values: field].map { $0.trimmingHTTPWhitespace() })
        guard values.count < 2 else { throw .malformedResponse(reason: "expected one value of \(name), found several") }
        return values.first
    }

    private func number(_ name: String, _ fields: HTTPFields) throws(TransportError) -> Int64? {
        guard let text = try text(name, fields) else { return nil }
        guard let number = isTus ? text.boundedNumber : StructuredField.item(text)?.count else {
            throw .malformedResponse(reason: "expected a number in \(name), found '\(text.shortened().escapingControls)'")
        }
        return number
    }

    private func flag(_ name: String, _ fields: HTTPFields) throws(TransportError) -> Bool? {
        guard let text = try text(name, fields) else { return nil }
        // A boolean may have parameters, which mean nothing here (RFC 9651 §3.1.2).
        guard case .boolean(let value) = StructuredField.item(text) else {
            throw .malformedResponse(reason: "expected ?0 or ?1 in \(name), found '\(text.shortened().escapingControls)'")
        }
        return value
    }
}

extension StructuredValue {
    /// A number of bytes (RFC 9651 §3.3.1).
    fileprivate var count: Int64? { if case .integer(let number) = self, number >= 0 { number } else { nil } }
}

extension ResumableUpload.Checksum {
    func field(of bytes: Data) -> String {
        let hash =
            switch self {
            case .sha1: SHA1.hash(bytes)
            case .sha256: SHA256.hash(bytes)
            case .md5: MD5.hash(bytes)
            }
        return "\(rawValue) \(Data(hash).base64EncodedString())"
    }
}
