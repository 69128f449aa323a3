public import CoreAPIHTTP
public import Foundation

/// A client's identity for servers that ask for one (mutual TLS): a certificate with its chain, and its key.
///
/// ```swift
/// environment.serverTrustManager = ServerTrustManager(
///     authorities: .pem(authorities), identity: .pem(certificates: certificates, key: Secret(key)))
/// ```
///
/// It keeps the texts that it was made from, and reads no file. Each identity has its own connections; the kit never reuses one
/// for another identity. A key that does not fit its certificate fails the connection.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    package enum Form: Sendable, Hashable {
        case pem(certificates: String, key: Secret<String>)
        case pkcs12(Secret<Data>)
    }

    package let form: Form
    package let passphrase: Secret<String>?

    /// Certificate and key as PEM text (`CURLOPT_SSLCERT_BLOB`, `CURLOPT_SSLKEY_BLOB`).
    ///
    /// - Parameters:
    ///   - certificates: the client's own first, then the chain to its authority.
    ///   - key: its private key.
    ///   - passphrase: for an encrypted key (`CURLOPT_KEYPASSWD`).
    public static func pem(certificates: String, key: Secret<String>, passphrase: Secret<String>? = nil) -> ClientIdentity {
        ClientIdentity(form: .pem(certificates: certificates, key: key), passphrase: passphrase)
    }

    /// The content of a PKCS#12 file.
    public static func pkcs12(_ data: Data, passphrase: Secret<String>) -> ClientIdentity {
        ClientIdentity(form: .pkcs12(Secret(data)), passphrase: passphrase)
    }

    /// The form of the certificate, without its key.
    public var description: String {
        switch form {
        case .pem: "client certificate in PEM"
        case .pkcs12: "client certificate in PKCS#12"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
