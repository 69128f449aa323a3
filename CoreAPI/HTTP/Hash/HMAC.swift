/// Hashes that only the holder of a key can make (RFC 2104).
package enum HMAC {
    /// - Parameter key: of any length.
    package static func sha256(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        let blockSize = 64
        var key = key.count > blockSize ? SHA256.hash(key) : key
        key += [UInt8](repeating: 0, count: blockSize - key.count)
        let inner = SHA256.hash(key.map { $0 ^ 0x36 } + message)
        return SHA256.hash(key.map { $0 ^ 0x5C } + inner)
    }

    /// Whether a code is the message's HMAC-SHA-256. The time of the comparison does not depend on the code's bytes, so it tells
    /// a forger nothing about the right ones.
    package static func isSHA256(_ code: some Sequence<UInt8>, of message: some Sequence<UInt8>, key: [UInt8]) -> Bool {
        let given = Array(code)
        let expected = sha256(message, key: key)
        guard given.count == expected.count else { return false }
        return zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
