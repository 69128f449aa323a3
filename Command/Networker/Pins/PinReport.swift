import CoreAPI
import Foundation

/// The output of `networker pins`.
struct PinReport: Encodable {
    struct Entry: Encodable {
        let subject: String
        let issuer: String
        /// `nil` if it cannot be read.
        let expires: Date?
        let pin: String
    }

    let host: String
    let certificates: [Entry]

    /// - Parameter certificates: the server's chain, not empty.
    init(host: String, _ certificates: [Certificate]) {
        self.host = host
        self.certificates = certificates.map { certificate in
            // If OpenSSL has verified a certificate whose details are unreadable, its pin is shown all the same.
            let details = try? certificate.details
            return Entry(
                subject: details?.subject ?? "unreadable", issuer: details?.issuer ?? "unreadable",
                expires: details?.notAfter, pin: certificate.pin)
        }
    }

    /// The pin of the server's key, and of its issuer's key as the backup.
    private var pinSet: String {
        let pins = certificates.prefix(2).map { "    \"\($0.pin)\",  // \($0.subject.escapingControls)" }
        let missing = certificates.count > 1 ? [] : ["    // and the pin of a backup key"]
        return (["PinSet([\"\(host)\": ["] + pins + missing + ["]])"]).joined(separator: "\n")
    }

    /// What the pin set holds, and what is to be done with it.
    private var heading: String {
        certificates.count > 1
            ? "A pin set of the server's key and its issuer's; replace the second by your backup key's:"
            : "A pin set of the server's key. The certificate has no issuer: add the pin of a backup key, or a new key of the "
                + "server locks the app out."
    }

    func rendered(_ palette: Palette = .none, now: Date = Date()) -> String {
        var table = TextTable([.init("#", .trailing), .init("subject"), .init("issuer"), .init("expires"), .init("pin")])
        for (index, entry) in certificates.enumerated() {
            let days = entry.expires.map { $0.timeIntervalSince(now) / 86_400 } ?? .infinity
            table.add([
                "\(index + 1)", .init(entry.subject), .init(entry.issuer),
                .init(
                    entry.expires?.formatted(.iso8601.year().month().day()) ?? "unreadable",
                    days < 0 ? .bad : days < 21 ? .warning : .plain),
                .init(entry.pin),
            ])
        }
        return [table.rendered(palette), "", palette.paint(heading, .quiet), pinSet].joined(separator: "\n")
    }
}
