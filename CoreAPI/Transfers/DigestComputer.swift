internal import CoreAPIHTTP

/// Computes digests of bytes that arrive in pieces.
struct DigestComputer {
    private var sha256: SHA256?
    private var sha512: SHA512?

    init(_ algorithms: Set<ContentDigest.Algorithm>) {
        sha256 = algorithms.contains(.sha256) ? SHA256() : nil
        sha512 = algorithms.contains(.sha512) ? SHA512() : nil
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256?.update(bytes)
        sha512?.update(bytes)
    }

    mutating func finish() -> [ContentDigest] {
        let all = [(ContentDigest.Algorithm.sha256, sha256?.finish()), (.sha512, sha512?.finish())]
        return all.compactMap { algorithm, bytes in bytes.flatMap { ContentDigest(algorithm, $0) } }
    }
}
