import CoreAPI
import Foundation

/// The output of `networker pins`.
struct PinReport: Encodable {
    struct Entry: Encodable {
        let subject: String
        let issuer: String
        let expires: Date
        let pin: String
    }

    let host: String
    let certificates: [Entry]

    init(host: String, _ certificates: [Certificate]) {
        self.host = host
        self.certificates = certificates.map { certificate in
            // If OpenSSL has verified a certificate whose details are unreadable, its pin is shown all the same.
            let details = try? certificate.details
            return Entry(
                subject: details?.subject ?? "unreadable", issuer: details?.issuer ?? "unreadable",
                expires: details?.notAfter ?? .distantPast, pin: certificate.pin)
        }
    }

    /// The pin of the server's key, and of its issuer's key as the backup.
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

            \(palette.paint("A pin set of the server's key and its issuer's; replace the second by your backup key's:", .quiet))
            \(pinSet)
            """
    }
}
