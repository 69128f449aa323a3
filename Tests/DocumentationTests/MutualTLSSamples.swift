import CoreAPI
import Foundation

// Shown on the page "mTLS: client certificates"; what they do is tested in MutualTLSTests.

struct IdentityFolder: Sendable {
    let path: String

    /// What the files say now.
    func trust() throws -> ServerTrustManager {
        func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
        return ServerTrustManager(
            authorities: .pem(try text("ca.pem")),
            identity: .pem(certificates: try text("client.pem"), key: Secret(try text("client.key"))))
    }
}

extension Channel {
    static let ledger = Channel("Ledger", hosts: [.production: "https://ledger.internal.example"])
}

func reload(_ folder: IdentityFolder, into place: APIEnvironment.Switch) throws {
    let trust = try folder.trust()
    place.update { $0.serverTrustManager = trust }
}
