internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// Identifies the bytes of a server's response by its head: equal values mean equal bytes.
struct Representation: Sendable, Hashable {
    /// A strong validator (RFC 9110 §8.8): equal only if all bytes are equal.
    enum Validator: Sendable, Hashable {
        /// `ETag`, with its quotes.
        case tag(String)
        /// `Last-Modified`, as received.
        case date(String)

        /// For `If-Range` (§13.1.5).
        var text: String {
            switch self {
            case .tag(let text), .date(let text): text
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
    let coding: String?

    init(validator: Validator?, length: Int64?, digest: String?, coding: String? = nil) {
        self.validator = validator
        self.length = length
        self.digest = digest
        self.coding = coding
    }

    /// - Parameter isDecoded: whether the transport has decoded the bytes. Validator, length and digest of the head then belong
    ///   to other bytes.
    init(_ head: ResponseHead, length: Int64?, isDecoded: Bool) {
        validator = isDecoded ? nil : Validator(head)
        self.length = isDecoded ? nil : length
        digest = isDecoded ? nil : head.namedDigest
        coding = head.coding
    }

    /// Whether a response 200 to a request for the rest cannot be what it says: it names a part, or the same bytes with another
    /// length. The server may have sent the rest alone.
    func isContradicted(by head: ResponseHead, length found: Int64?) -> Bool {
        if let part = head.contentRange?.bytes, part.lowerBound > 0 { return true }
        guard let validator, Validator(head) == validator, let length, let found else { return false }
        return length != found
    }

    /// Whether a response has a validator of the same kind.
    func isNamed(by head: ResponseHead) -> Bool {
        switch validator {
        case .tag: head.headers[.eTag] != nil
        case .date: head.headers[.lastModified] != nil
        case nil: false
        }
    }

    /// Whether the bytes of a part have the coding of the others. A 206 need not name it (RFC 9110 §15.3.7).
    func isCoded(as head: ResponseHead) -> Bool { head.coding.map { $0 == coding } ?? true }

    /// Whether a response 206 or 416 can belong to the same bytes. It must repeat the validator, because a server that ignores
    /// `If-Range` may send the bytes of another file. A 206 has the `ETag` of a 200 (RFC 9110 §15.3.7). It may leave out
    /// `Last-Modified`: with such a server, a file that has no `ETag` begins again.
    ///
    /// - Parameter total: the complete length that the response names.
    func mayBeContinued(by head: ResponseHead, total: Int64?) -> Bool {
        if let length, let total, length != total { return false }
        if let found = head.namedDigest, let digest, found != digest { return false }
        switch validator {
        case .tag(let tag): return head.single(.eTag)?.utf8.elementsEqual(tag.utf8) == true
        case .date(let date): return head.single(.lastModified)?.utf8.elementsEqual(date.utf8) == true
        case nil: return false
        }
    }
}

extension Representation.Validator {
    /// The strong validator of a head; `nil` if it has none.
    init?(_ head: ResponseHead) {
        if head.headers[.eTag] != nil {
            // With a weak tag the date is not allowed either (§13.1.5).
            self.init(tag: head.single(.eTag) ?? "")
        } else if let modified = head.single(.lastModified), let sent = head.single(.date) {
            self.init(modified: modified, sent: sent)
        } else {
            return nil
        }
    }

    /// - Parameter tag: strong only without `W/`; `"` then printable characters without `"`, then `"` (§8.8.3).
    init?(tag: String) {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.count <= 1_024, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\""),
            bytes.dropFirst().dropLast().allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 < 0x7F })
        else { return nil }
        self = .tag(tag)
    }

    /// A date is strong if the response was made at least a minute later, so that the file cannot have changed twice in that
    /// second (§8.8.2.2).
    init?(modified: String, sent: String) {
        guard let change = HTTPDate.date(modified), let answer = HTTPDate.date(sent), modified.utf8.count <= 64,
            answer.timeIntervalSince(change) >= 60
        else { return nil }
        self = .date(modified)
    }
}

/// `Content-Range` (RFC 9110 §14.4) in bytes.
struct ContentRange: Sendable, Hashable {
    /// `nil` for `*`, in a 416.
    let bytes: Range<Int64>?
    /// `nil` for `*`.
    let total: Int64?

    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let number = Self.number(parts[1]) else { return nil }
            total = number
        }
        if parts[0] == "*" {
            guard total != nil else { return nil }
            bytes = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            total.map({ last < $0 }) ?? true
        else { return nil }
        bytes = first..<last + 1
    }

    /// At most 18 digits, so that no sum of two overflows.
    private static func number(_ text: Substring) -> Int64? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }
}

extension ResponseHead {
    /// All lines of a field, joined; `nil` without the field.
    func lines(_ name: String) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let lines = headers[values: name]
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
    private func members(_ name: String) -> [String] {
        let all = lines(name)?.utf8.split(separator: UInt8(ascii: ",")) ?? []
        return all.map { Substring($0).trimmingHTTPWhitespace().lowercased() }.filter { !$0.isEmpty }
    }

    /// `Accept-Ranges`.
    var rangeUnits: [String] { members("Accept-Ranges") }

    /// The codings of the body other than `identity`; `nil` without any.
    var coding: String? {
        let codings = members("Content-Encoding").filter { $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }
}
