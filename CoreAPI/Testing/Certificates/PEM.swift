internal import Foundation

/// The textual form of DER (RFC 7468).
enum PEM {
    static func text(_ label: String, _ bytes: [UInt8]) -> String {
        let body = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
    }
}
