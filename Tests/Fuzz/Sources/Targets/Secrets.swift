import CoreAPI
import Foundation

@testable import CoreAPICore

extension FuzzTarget {
    /// Any text through the scanner of secrets; and one line with a secret in a usual form, between lines with any content.
    static let secrets = FuzzTarget(name: "secrets") { input in
        let form = forms[Int(input.byte()) % forms.count]
        let before = input.lineOfText()
        let after = input.text
        let redaction = Redaction()
        let text = "\(before)\n\(after)"
        let shown = redaction.redact(text: text)
        expect(
            shown.utf8.count <= (Redaction.mask.utf8.count + 1) * (text.utf8.count + 1), "what is shown grows with what there is")
        guard !text.contains(canary) else { return }
        let holding = "\(before)\n\(form)\n\(after)"
        expect(!redaction.redact(text: holding).contains(canary), "the secret is hidden in \(holding.debugDescription)")
    }

    private static let canary = "c4n4ryS3cret"

    private static let forms = [
        "Authorization: Bearer \(canary)", "Cookie: sid=\(canary)", "password=\(canary)", "{\"token\": \"\(canary)\"}",
        "GET https://user:\(canary)@host.example/ HTTP/1.1", "https://host.example/?access_token=\(canary)&page=1",
        "<password>\(canary)</password>", "X-Api-Key: \(canary)", "{\\\"secret\\\":\\\"\(canary)\\\"}",
    ]
}
