import CoreAPI
import Foundation
import SwiftASN1
import X509

/// What `networker pins` says of a server's certificates.
struct PinReport: Encodable {
    struct Entry: Encodable {
        let subject: String
        let issuer: String
        let expires: Date
        let pin: String
    }

    let host: String
    let certificates: [Entry]

    init(host: String, _ certificates: [CoreAPI.Certificate]) {
        self.host = host
        self.certificates = certificates.map { certificate in
            // A certificate that OpenSSL has verified and that this reader refuses is shown with its pin all the same.
            let details = try? X509.Certificate(derEncoded: Array(certificate.der))
            return Entry(
                subject: details.map { "\($0.subject)" } ?? "unreadable", issuer: details.map { "\($0.issuer)" } ?? "unreadable",
                expires: details?.notValidAfter ?? .distantPast, pin: certificate.pin)
        }
    }

    /// The server's key, and its issuer's as the backup.
    var pinSet: String {
        let pins = certificates.prefix(2).map { "    \"\($0.pin)\",  // \($0.subject.escapingControls)" }
        return (["PinSet([\"\(host)\": ["] + pins + ["]])"]).joined(separator: "\n")
    }

    func rendered(_ palette: Palette = .none, now: Date = Date()) -> String {
        var table = TextTable([.init("#", .trailing), .init("subject"), .init("issuer"), .init("expires"), .init("pin")])
        for (index, entry) in certificates.enumerated() {
            let days = entry.expires.timeIntervalSince(now) / 86_400
            table.add([
                "\(index + 1)", .init(entry.subject), .init(entry.issuer),
                .init(entry.expires.formatted(.iso8601.year().month().day()), days < 0 ? .bad : days < 21 ? .warning : .plain),
                .init(entry.pin),
            ])
        }
        return """
            \(table.rendered(palette))

            \(palette.paint("A pin set of the server's key and its issuer's; replace the second by a key of your own that is kept elsewhere:", .quiet))
            \(pinSet)
            """
    }
}
