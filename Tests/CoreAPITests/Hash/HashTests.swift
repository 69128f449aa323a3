import TestSupport

@Suite("A hash")
struct HashTests {
    private static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    private static let twoLongBlocks =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

    @Test(
        "SHA-256, by the examples of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (twoBlocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            (twoLongBlocks, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
        ])
    func sha256(text: String, digest: String) { #expect(SHA256.hash(text.utf8).hexadecimal == digest) }

    @Test("SHA-256 of a million letters, the last example")
    func million() {
        let digest = SHA256.hash(repeatElement(UInt8(ascii: "a"), count: 1_000_000))
        #expect(digest.hexadecimal == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(
        "SHA-1, by the examples of FIPS 180-4",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (twoBlocks, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"), (twoLongBlocks, "a49b2446a02c645bf419f995b67091253a04a259"),
        ])
    func sha1(text: String, digest: String) { #expect(SHA1.hash(text.utf8).hexadecimal == digest) }

    @Test(
        "MD5, by the examples of RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ])
    func md5(text: String, digest: String) { #expect(MD5.hash(text.utf8).hexadecimal == digest) }

    /// The RFC has only the first half of the fifth code; Python gave the rest.
    private static let codes: [(key: [UInt8], message: [UInt8], code: String)] = [
        (repeated(0x0B, 20), Array("Hi There".utf8), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (repeated(0xAA, 20), repeated(0xDD, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (Array(1...25), repeated(0xCD, 50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        (
            repeated(0x0C, 20), Array("Test With Truncation".utf8),
            "a3b6167473100ee06e0c796c2955552bfa6f7c0a6a8aef8b93f860aab0cd20c5"
        ),
        (
            repeated(0xAA, 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            repeated(0xAA, 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    private static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }

    @Test("HMAC-SHA-256, by the examples of RFC 4231, with keys shorter and longer than a block", arguments: codes)
    func hmac(key: [UInt8], message: [UInt8], code: String) { #expect(HMAC.sha256(message, key: key).hexadecimal == code) }

    /// Covers each end of a block, and keys up to several blocks. Not in the root for another libcurl, which has no Python.
    @Test("is Python's for every length from 0 to 300", .enabled(if: Program.exists("python3")))
    func python() async throws {
        let script = """
            import hashlib, hmac
            for n in range(301):
                m = bytes((7 * i + n) % 256 for i in range(n))
                print(hashlib.md5(m).hexdigest(), hashlib.sha256(m).hexdigest(),
                      hmac.new(m, m, hashlib.sha256).hexdigest(), hashlib.sha512(m).hexdigest())
            """
        let run = try await Program.run(["python3", "-c", script])
        let expected = run.text.split(separator: "\n").map(String.init)
        #expect(run.status == 0 && expected.count == 301)
        for (length, line) in expected.enumerated() {
            let message = (0..<length).map { UInt8((7 * $0 + length) % 256) }
            let digests = [MD5.hash(message), SHA256.hash(message), HMAC.sha256(message, key: message), SHA512.hash(message)]
            #expect(digests.map(\.hexadecimal).joined(separator: " ") == line, "\(length) bytes")
        }
    }

    @Test("is the same of a message in any pieces")
    func pieces() {
        let message = (0..<700).map { UInt8(truncatingIfNeeded: 11 * $0) }
        for size in [1, 7, 63, 64, 65, 127, 128, 129, 300] {
            var (short, long) = (SHA256(), SHA512())
            for start in stride(from: 0, to: message.count, by: size) {
                short.update(message[start..<min(start + size, message.count)])
                long.update(message[start..<min(start + size, message.count)])
            }
            #expect(short.finish() == SHA256.hash(message) && long.finish() == SHA512.hash(message), "pieces of \(size)")
        }
    }

    @Test("is the same of bytes in any collection")
    func collections() {
        let bytes = [UInt8]("three collections".utf8)
        let expected = SHA256.hash(bytes)
        #expect(SHA256.hash(Data(bytes)) == expected && SHA256.hash("three collections".utf8) == expected)
        #expect(SHA256.hash(([0] + bytes).dropFirst()) == expected)
    }

    @Test("a code of another message, key or length is wrong")
    func comparison() {
        let key = [UInt8]("key".utf8)
        let code = HMAC.sha256("message".utf8, key: key)
        #expect(HMAC.isSHA256(code, of: "message".utf8, key: key))
        #expect(!HMAC.isSHA256(code, of: "messagf".utf8, key: key))
        #expect(!HMAC.isSHA256(code, of: "message".utf8, key: key + [0x21]))
        for wrong in [[], Array(code.dropLast()), code + [0]] { #expect(!HMAC.isSHA256(wrong, of: "message".utf8, key: key)) }
        for index in code.indices {
            for bit in 0..<8 {
                var wrong = code
                wrong[index] ^= 1 << bit
                #expect(!HMAC.isSHA256(wrong, of: "message".utf8, key: key))
            }
        }
    }
}
