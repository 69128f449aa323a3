import Foundation
import HTTPTypes

@testable import CoreAPICore
@testable import CoreAPITransfers

extension FuzzTarget {
    /// A byte for the dialect, then lines `Name:value` of a response to a resumable upload.
    static let upload = FuzzTarget(name: "upload") { input in
        var input = input
        let dialects = ResumableUpload.Dialect.allCases
        let dialect = dialects[Int(input.byte()) % dialects.count]
        var fields = HTTPFields()
        for _ in 0..<8 {
            let line = String(decoding: input.line(), as: UTF8.self).split(separator: ":", maxSplits: 1)
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
