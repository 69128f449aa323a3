import Foundation
import HTTPTypes

@testable import CoreAPICore
@testable import CoreAPIFixtures
@testable import CoreAPIHTTP

extension FuzzTarget {
    /// A fixture file, possibly malformed.
    static let fixture = FuzzTarget(name: "fixture") { input in
        let text = input.text
        guard let fixture = try? Fixture(parsing: text, file: "/nowhere/fuzz.http") else { return }
        expect((100...999).contains(fixture.status) || fixture.failure != nil, "a status or a failure")
        expect(fixture.delay >= .zero, "a delay is not negative")
        expect(fixture.body.count <= text.utf8.count, "a body is a part of the file")
        guard let fields = try? fixture.headers.fields() else { return expect(false, "sound headers") }
        for field in fields { expect(field.value.firstForbiddenControl == nil, "no control character in \(field)") }
        guard let method = fixture.method, let path = fixture.path else { return expect(false, "a method and a path") }
        expect(path.firstForbiddenControl == nil && path.utf8.allSatisfy { $0 < 0x80 }, "a path as on the wire: \(path)")

        // Written again in the file's own form, in which CR LF ends a line and a line that begins with # is a comment.
        guard fixture.failure == nil, !path.isEmpty, fixture.query.isEmpty, !fixture.body.contains(0x0D),
            !method.rawValue.hasPrefix("#")
        else { return }
        var lines = ["\(method.rawValue) /\(path)", "\(fixture.status)"] + fields.map { "\($0.name.rawName): \($0.value)" }
        lines += ["", String(decoding: fixture.body, as: UTF8.self) + "\n"]
        let again = try? Fixture(parsing: lines.joined(separator: "\n"), file: "/nowhere/fuzz.http")
        expect(again?.summary == fixture.summary && again?.status == fixture.status, "rendered and parsed again: \(lines)")
        expect(again?.headers == fixture.headers && again?.body == fixture.body, "rendered and parsed again: \(lines)")
    }
}
