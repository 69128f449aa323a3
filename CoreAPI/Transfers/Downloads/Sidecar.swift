internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPIJSON
internal import Foundation
internal import HTTPTypes

/// A range of the file; its first bytes are on the disk.
struct Segment: Codable, Sendable, Hashable {
    let start: Int64
    /// The offset after the last byte, if the length is known, and after the last byte on the disk.
    var end: Int64?
    var done: Int64
    var isComplete: Bool { done == end }
}

/// The state that a later download needs to continue a part: a JSON file beside it.
///
/// Untrusted: any program may have changed it. The seal shows damage of the sidecar and of the last bytes of each segment. It
/// cannot show a forgery: a program that may write here may write the bytes, too. The sidecar contains neither the address nor a
/// secret.
struct Sidecar: Codable, Sendable, Hashable {
    static let longest = 65_536
    private static let currentVersion = 1

    private var version = Sidecar.currentVersion
    /// SHA-256 of the address without its secrets, or of the name that the caller gave, in hexadecimal.
    let resource: String
    private(set) var representation: Representation
    /// The segments, without gaps, from the first byte to the last.
    let segments: [Segment]
    /// The SHA-256 of the other members and of each segment's last bytes on the disk, in hexadecimal. It does not cover all
    /// bytes, because that would take longer than a fast download.
    var seal = ""

    init(resource: String, representation: Representation, segments: [Segment]) {
        (self.resource, self.representation, self.segments) = (resource, representation, segments)
    }

    var json: Data? {
        var encoder = JSONBodyEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(self)
    }

    /// `nil` for JSON that this version cannot have written.
    init?(json: Data) {
        guard json.count <= Self.longest, let read = try? JSONBodyDecoder().decode(Self.self, from: json),
            read.version == Self.currentVersion, read.resource.utf8.count == 64, read.resource.utf8.allSatisfy(\.isHexDigit),
            read.representation.digest.map({ $0.utf8.count <= 8_192 }) ?? true, read.representation.validator?.isSound == true,
            Self.areSound(read.segments, read.representation.length)
        else { return nil }
        self = read
        representation.digest = read.representation.digest.flatMap { DigestField($0)?.text }
    }

    /// Whether the segments follow each other from 0 to the length.
    private static func areSound(_ segments: [Segment], _ length: Int64?) -> Bool {
        guard let last = segments.last, segments.count <= DownloadOptions.mostParts, last.end == length else { return false }
        var next: Int64 = 0
        for segment in segments {
            let end = segment.end ?? .max
            guard segment.start == next, segment.start <= segment.done, segment.done <= end else { return false }
            if segment.end == nil, segments.count > 1 { return false }
            next = end
        }
        return true
    }
}

extension [Segment] {
    /// The offset after the last byte on the disk.
    var reach: Int64 { lazy.filter { $0.done > $0.start }.map(\.done).max() ?? 0 }
}

/// Identifies the bytes of a server's response by its head: equal values mean equal bytes.
struct Representation: Codable, Sendable, Hashable {
    /// A strong validator (RFC 9110 §8.8): equal only if all bytes are equal.
    struct Validator: Codable, Sendable, Hashable {
        let field: HTTPField.Name
        /// As received; for `If-Range` (§13.1.5).
        let text: String

        /// `ETag`, with its quotes.
        static func tag(_ text: String) -> Validator { Validator(field: .eTag, text: text) }
        static func date(_ text: String) -> Validator { Validator(field: .lastModified, text: text) }

        /// Whether a response can have given it.
        fileprivate var isSound: Bool {
            switch field {
            case .eTag: Validator(tag: text) != nil
            case .lastModified: text.utf8.count <= 64 && HTTPDate.date(text) != nil && text.firstForbiddenControl == nil
            default: false
            }
        }
    }

    /// `nil` without a strong validator; then the rest cannot be requested.
    let validator: Validator?
    /// In bytes; `nil` if it is not known.
    var length: Int64?
    /// The members of `Repr-Digest` that can be checked. A 206 names that of the whole file, too (RFC 9530 §3.1).
    var digest: String?
    /// The content coding of the bytes; `nil` without one.
    var coding: String?

    /// Whether a response 200 to a request for the rest cannot be what it says: it names a part, or the same bytes with another
    /// length. The server may have sent the rest alone.
    func isContradicted(by head: ResponseHead, length found: Int64?) -> Bool {
        if let part = head.contentRange?.bytes, part.lowerBound > 0 { return true }
        guard let validator, Validator(head) == validator, let length, let found else { return false }
        return length != found
    }

    /// Whether a response has a validator of the same kind.
    func isNamed(by head: ResponseHead) -> Bool { validator.map { head.headers[$0.field] != nil } ?? false }
    /// Whether the bytes of a part have the coding of the others. A 206 need not name it (RFC 9110 §15.3.7).
    func isCoded(as head: ResponseHead) -> Bool { head.coding.map { $0 == coding } ?? true }

    /// Whether a response 206 or 416 can belong to the same bytes. It must repeat the validator, because a server that ignores
    /// `If-Range` may send the bytes of another file. A 206 has the `ETag` of a 200 (RFC 9110 §15.3.7). It may leave out
    /// `Last-Modified`: with such a server, a file that has no `ETag` begins again. `total` is the length that the response
    /// names.
    func mayBeContinued(by head: ResponseHead, total: Int64?) -> Bool {
        if let length, let total, length != total { return false }
        if let found = head.namedDigest, let digest, found != digest { return false }
        guard let validator, let found = head.single(validator.field) else { return false }
        return found.utf8.elementsEqual(validator.text.utf8)
    }
}

extension Representation {
    /// If the transport has decoded the bytes, validator, length and digest of the head belong to other bytes.
    init(_ head: ResponseHead, length: Int64?, isDecoded: Bool) {
        if isDecoded {
            self.init(validator: nil, coding: head.coding)
        } else {
            self.init(validator: Validator(head), length: length, digest: head.namedDigest, coding: head.coding)
        }
    }
}

extension Representation.Validator {
    /// The strong validator of a head; `nil` if it has none. With a weak tag the date is not allowed either (§13.1.5). A date is
    /// strong if the response was made at least a minute later, so that the file cannot have changed twice in that second
    /// (§8.8.2.2).
    init?(_ head: ResponseHead) {
        guard head.headers[.eTag] == nil else {
            self.init(tag: head.single(.eTag) ?? "")
            return
        }
        guard let modified = head.single(.lastModified), let sent = head.single(.date).flatMap(HTTPDate.date),
            let change = HTTPDate.date(modified), sent.timeIntervalSince(change) >= 60, modified.utf8.count <= 64
        else { return nil }
        self = .date(modified)
    }

    /// A strong tag, without `W/`: `"` then printable characters without `"`, then `"` (§8.8.3).
    init?(tag: String) {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.count <= 1_024, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\""),
            bytes.dropFirst().dropLast().allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 < 0x7F })
        else { return nil }
        self = .tag(tag)
    }
}

/// `Content-Range` (RFC 9110 §14.4) in bytes.
struct ContentRange: Sendable, Hashable {
    /// `nil` for `*`, in a 416.
    let bytes: Range<Int64>?
    /// `nil` for `*`.
    let total: Int64?

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        total = parts[1].boundedNumber
        guard total != nil || parts[1] == "*" && parts[0] != "*" else { return nil }
        guard parts[0] != "*" else {
            bytes = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(\.boundedNumber)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else { return nil }
        bytes = first..<last + 1
    }
}

extension StringProtocol {
    /// A number of digits only, at most 18, so that no sum of two overflows.
    var boundedNumber: Int64? {
        guard (1...18).contains(utf8.count), utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(self)
    }
}

extension ResponseHead {
    /// All lines of a field that have a value, joined; `nil` without one.
    func lines(_ name: String) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let lines = headers[values: name].filter { !$0.isEmpty }
        return lines.isEmpty ? nil : lines.joined(separator: ", ")
    }

    /// The members of `Repr-Digest` that can be checked; the others may be long.
    var namedDigest: String? { lines("Repr-Digest").flatMap { DigestField($0)?.text } }
    var contentRange: ContentRange? { single(.contentRange).flatMap { ContentRange($0) } }

    /// The value of a field that is no list; `nil` for lines with different values.
    func single(_ name: HTTPField.Name) -> String? {
        let values = Set(headers[values: name])
        return values.count == 1 ? values.first : nil
    }

    /// The members of a list in all lines of a field, in lower case.
    private func members(_ name: String) -> [String] { lines(name)?.lowercased().listMembers ?? [] }

    var rangeUnits: [String] { members("Accept-Ranges") }

    /// The codings of the body other than `identity`; `nil` without any.
    var coding: String? {
        let codings = members("Content-Encoding").filter { $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }
}
