internal import CoreAPIHTTP
internal import CoreAPIJSON
internal import Foundation

/// A range of the file; its first bytes are on the disk.
struct Segment: Codable, Sendable, Hashable {
    let start: Int64
    /// The offset after the last byte; `nil` if the length is not known.
    var end: Int64?
    /// The offset after the last byte on the disk.
    var done: Int64

    var isComplete: Bool { done == end }
}

/// The state that a later download needs to continue a part: a JSON file beside it.
///
/// Untrusted: any program may have changed it. The seal shows damage of the sidecar and of the last bytes of each
/// segment. It cannot show a forgery: a program that may write here may write the bytes, too. The sidecar contains neither the
/// address nor a secret.
struct Sidecar: Sendable, Hashable {
    static let version = 1
    static let longest = 65_536

    /// SHA-256 of the address without its secrets, or of the name that the caller gave, in hexadecimal.
    let resource: String
    let representation: Representation
    /// The segments, without gaps, from the first byte to the last.
    let segments: [Segment]
    /// The SHA-256 of the other members and of each segment's last bytes on the disk, in hexadecimal. It does not
    /// cover all bytes: the kit's SHA-256 takes 140 to 240 MB a second, and a download over loopback brings 1,200.
    var seal = ""

    init(resource: String, representation: Representation, segments: [Segment]) {
        self.resource = resource
        self.representation = representation
        self.segments = segments
    }

    // MARK: - JSON

    private struct Record: Codable {
        var version: Int
        var resource: String
        var tag: String?
        var date: String?
        var length: Int64?
        var digest: String?
        var coding: String?
        var segments: [Segment]
        var seal: String
    }

    var json: Data? {
        var record = Record(
            version: Self.version, resource: resource, length: representation.length, digest: representation.digest,
            coding: representation.coding, segments: segments, seal: seal)
        switch representation.validator {
        case .tag(let tag): record.tag = tag
        case .date(let date): record.date = date
        case nil: return nil
        }
        var encoder = JSONBodyEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(record)
    }

    /// `nil` for JSON that this version cannot have written.
    init?(json: Data) {
        guard json.count <= Self.longest, let record = try? JSONBodyDecoder().decode(Record.self, from: json),
            record.version == Self.version, record.resource.utf8.count == 64, record.resource.utf8.allSatisfy(\.isHexDigit),
            record.digest.map({ $0.utf8.count <= 8_192 }) ?? true, Self.areSound(record.segments, record.length)
        else { return nil }
        let validator: Representation.Validator
        switch (record.tag, record.date) {
        case (let tag?, nil):
            guard let strong = Representation.Validator(tag: tag) else { return nil }
            validator = strong
        case (nil, let date?):
            guard date.utf8.count <= 64, HTTPDate.date(date) != nil, date.firstForbiddenControl == nil else { return nil }
            validator = .date(date)
        default: return nil
        }
        resource = record.resource
        let digest = record.digest.flatMap { DigestField($0)?.text }
        representation = Representation(validator: validator, length: record.length, digest: digest, coding: record.coding)
        segments = record.segments
        seal = record.seal
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
