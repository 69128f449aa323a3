import CoreAPI
import Foundation

@testable import CoreAPICore
@testable import CoreAPITransfers

extension FuzzTarget {
    /// `Repr-Digest` and `Content-Digest` (RFC 9530), and the options' own form of a digest.
    static let digestField = FuzzTarget(name: "digest-field") { input in
        let text = input.text
        if let digest = ContentDigest(text) {
            expect(digest.bytes.count == digest.algorithm.size, "the size of \(digest)")
            expect(ContentDigest(digest.description) == digest, "written and read again: \(digest)")
        }
        guard let field = DigestField(text) else { return }
        expect(field.members.reduce(0) { $0 + $1.bytes.count } <= text.utf8.count, "no more comes out than went in")
        let written = field.members.map { "\($0.algorithm.rawValue)=:\(Data($0.bytes).base64EncodedString()):" }
        expect(DigestField(written.joined(separator: ", ")) == field, "written and read again: \(written)")
    }

    /// The file beside the part of a download, and `Content-Range` (RFC 9110 §14.4).
    static let sidecar = FuzzTarget(name: "sidecar") { input in
        if let range = ContentRange(input.text) {
            if let bytes = range.bytes { expect(!bytes.isEmpty && bytes.lowerBound >= 0, "a range of bytes") }
            expect(range.total ?? .max >= range.bytes?.upperBound ?? 0, "no range ends behind the whole")
        }
        guard let sidecar = Sidecar(json: Data(input.text.utf8)) else { return }
        expect(sidecar.representation.validator != nil, "a sidecar has a validator")
        let reach = sidecar.segments.reach
        expect(reach >= 0 && reach <= sidecar.representation.length ?? .max, "no segment ends behind the file")
        for segment in sidecar.segments { expect(segment.start <= segment.done, "a segment ends behind its start") }
        expect(sidecar.json.map { Sidecar(json: $0) == sidecar } == true, "written and read again")
    }

    /// A byte for the dialect, then lines `Name:value` of a response to a resumable upload.
    static let upload = FuzzTarget(name: "upload") { input in
        let dialects = ResumableUpload.Dialect.allCases
        let dialect = dialects[Int(input.byte()) % dialects.count]
        var fields = HTTPFields()
        for _ in 0..<8 {
            let line = input.lineOfText().split(separator: ":", maxSplits: 1)
            guard line.count == 2, let name = HTTPField.Name(String(line[0])) else { continue }
            fields.append(HTTPField(name: name, value: String(line[1])))
        }
        guard let answer = try? dialect.status(fields) else { return }
        for number in [answer.offset, answer.length, answer.limit].compactMap(\.self) {
            expect(number >= 0 && number < 1_000_000_000_000_000_000, "a number of at most 18 digits: \(number)")
        }
        expect(answer.limit != 0, "a limit that lets bytes through")
        expect(answer == (try? dialect.status(fields)), "the same again")
    }
}
