/// A defect of libcurl that the kit works around. Each has a file in this folder, which describes the defect, its versions, the
/// workaround and the test that shows it.
package struct CurlDefect: Sendable {
    fileprivate let bit: UInt32
    package let versions: Range<CurlVersion>

    /// - Parameters:
    ///   - number: unique among the defects.
    ///   - versions: the libraries that have it.
    init(_ number: UInt32, in versions: Range<CurlVersion>) {
        bit = 1 << number
        self.versions = versions
    }

    package func isPresent(in version: CurlVersion) -> Bool { versions.contains(version) }

    package static let all: [CurlDefect] = [
        .busyConnectionShared, .endToldOnce, .endlessReading, .endlessUpload, .hiddenFailure, .keptBuffer, .keptConnection,
        .lostField, .lostTimer, .missedAnswer, .missedBodyEnd, .rememberedField, .rememberedResend, .repeatedExpectation,
        .silentEnd, .silentResend,
        .spinningUpload, .unannouncedEnd, .unreadBytes, .unreadEmptyBody, .vagueError,
    ]
}

extension Range<CurlVersion> {
    /// All versions before the first one known to be right.
    static func before(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) -> Self {
        .oldest..<CurlVersion(major, minor, patch)
    }

    /// All known versions, and later ones.
    static var every: Self { .oldest ..< .unreleased }
}

/// The defects that a libcurl has.
struct CurlDefects: Sendable {
    private var bits: UInt32 = 0

    init(of version: CurlVersion) {
        for defect in CurlDefect.all where defect.isPresent(in: version) { bits |= defect.bit }
    }

    func contains(_ defect: CurlDefect) -> Bool { bits & defect.bit != 0 }
    mutating func remove(_ defect: CurlDefect) { bits &= ~defect.bit }
}
