import Foundation

@testable import CoreAPIHTTP

extension FuzzTarget {
    /// `WWW-Authenticate` (RFC 9110 §11.6.1).
    static let challenge = FuzzTarget(name: "challenge") { input in
        let line = input.text
        guard let challenges = try? AuthenticationChallenge.parse(line) else { return }
        let texts = challenges.flatMap { [$0.scheme, $0.token68 ?? ""] + $0.parameters.flatMap { [$0, $1] } }
        expect(texts.reduce(0) { $0 + $1.utf8.count } <= 3 * line.utf8.count, "no more comes out than went in")
        for text in texts { expect(text.firstForbiddenControl == nil, "no control characters in \(text.debugDescription)") }

        let rendered = challenges.map { challenge in
            let parameters = challenge.parameters.map { name, value in "\(name)=\(value.quoted)" }
            return "\(challenge.scheme) " + (challenge.token68.map { [$0] } ?? parameters).joined(separator: ", ")
        }
        let text = rendered.joined(separator: ", ")
        expect((try? AuthenticationChallenge.parse(text)) == challenges, "rendered and parsed again: \(text.debugDescription)")
    }
}
