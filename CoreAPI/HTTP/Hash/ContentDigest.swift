internal import Foundation

/// A digest of bytes (RFC 9530), such as `sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:`.
public struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    /// A hash function, by its name in RFC 9530 §5. The insecure functions of that list are not supported.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// SHA-256, 32 bytes.
        case sha256 = "sha-256"
        /// SHA-512, 64 bytes.
        case sha512 = "sha-512"

        /// The number of bytes of a digest.
        public var size: Int { self == .sha256 ? 32 : 64 }
    }

    /// The hash function.
    public let algorithm: Algorithm
    /// The hash, of ``Algorithm/size`` bytes.
    public let bytes: [UInt8]

    /// Makes a digest; `nil` if the number of bytes is not the algorithm's.
    public init?(_ algorithm: Algorithm, _ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == algorithm.size else { return nil }
        (self.algorithm, self.bytes) = (algorithm, bytes)
    }

    /// Hashes bytes.
    ///
    /// ```swift
    /// let digest = ContentDigest(.sha256, of: try attempt.request.body.bytesInMemory()).hexadecimal
    /// ```
    public init(_ algorithm: Algorithm, of bytes: some Sequence<UInt8>) {
        (self.algorithm, self.bytes) = (algorithm, algorithm == .sha256 ? SHA256.hash(bytes) : SHA512.hash(bytes))
    }

    /// Reads `sha-256=…` or `sha-512=…`, whose value is hexadecimal, Base64, or Base64 between colons as in RFC 9530.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()) else { return nil }
        var value = parts[1]
        if value.count >= 2, value.hasPrefix(":"), value.hasSuffix(":") { value = String(value.dropFirst().dropLast()) }
        let bytes: [UInt8]? =
            value.utf8.count == 2 * algorithm.size && value.utf8.allSatisfy(\.isHexDigit)
            ? value.hexadecimalBytes : Data(base64Encoded: value).map { Array($0) }
        guard let bytes else { return nil }
        self.init(algorithm, bytes)
    }

    /// Lowercase hexadecimal digits, as `sha256sum` prints them.
    public var hexadecimal: String { bytes.hexadecimal }

    /// The form of a header field (RFC 9530).
    public var description: String { "\(algorithm.rawValue)=:\(Data(bytes).base64EncodedString()):" }
}

extension String {
    fileprivate var hexadecimalBytes: [UInt8] {
        let digits = utf8.map { UInt8($0.isDigit ? $0 & 0x0F : ($0 & 0x0F) + 9) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
