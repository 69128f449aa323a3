internal import CoreAPIHTTP
internal import Foundation

/// The value of `Repr-Digest` or `Content-Digest` (RFC 9530 §2, §3): a dictionary of byte sequences (RFC 9651 §3.2, §3.3.5).
/// Anything else is ignored as a whole (RFC 9651 §4.2), and so is a member with an unknown algorithm. A digest of a known
/// algorithm with another form or length matches no file.
struct DigestField: Sendable, Hashable {
    /// A digest of a known algorithm; the number of its bytes may be wrong.
    struct Member: Sendable, Hashable {
        let algorithm: ContentDigest.Algorithm
        /// Empty for a member that is not a byte sequence, or has more bytes than the algorithm.
        let bytes: [UInt8]
        var text: String { "\(algorithm.rawValue)=:\(Data(bytes).base64EncodedString()):" }
    }

    let members: [Member]

    /// `text` is all lines of the field, joined by commas.
    init?(_ text: String) {
        guard let values = StructuredField.dictionary(text) else { return nil }
        members = ContentDigest.Algorithm.allCases.compactMap { algorithm in
            guard let value = values[algorithm.rawValue] else { return nil }
            if case .bytes(let bytes) = value, bytes.count <= algorithm.size { return Member(algorithm: algorithm, bytes: bytes) }
            return Member(algorithm: algorithm, bytes: [])
        }
    }

    /// The members of known algorithms as a field; `nil` without one.
    var text: String? { members.isEmpty ? nil : members.map(\.text).joined(separator: ", ") }
    var algorithms: Set<ContentDigest.Algorithm> { Set(members.map(\.algorithm)) }

    /// The first digest that differs from the member of its algorithm; `nil` if none does. Algorithms without a digest are
    /// ignored.
    func mismatch(_ digests: [ContentDigest]) -> DownloadError? {
        for member in members {
            if let found = digests.first(where: { $0.algorithm == member.algorithm }), found.bytes != member.bytes {
                return .digestMismatch(expected: member.text, found: found.description)
            }
        }
        return nil
    }
}
