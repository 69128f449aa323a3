/// A defect that some versions of libcurl have. Most defects are in every version: their workarounds have no condition. Each
/// defect has a file in this folder, which describes it, the workaround and the test that fails without it.
struct CurlDefect: Sendable {
    fileprivate let bit: UInt32
    let versions: Range<CurlVersion>

    /// - Parameters:
    ///   - number: unique among the defects.
    ///   - versions: the libraries that have it.
    init(_ number: UInt32, in versions: Range<CurlVersion>) {
        bit = 1 << number
        self.versions = versions
    }

    func isPresent(in version: CurlVersion) -> Bool { versions.contains(version) }

    static let all: [CurlDefect] = [
        .keptBuffer, .keptConnection, .lostField, .missedAnswer, .rememberedField, .spinningUpload,
    ]
}

extension Range<CurlVersion> {
    /// All versions before the first one known to be right.
    static func before(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) -> Self {
        .oldest..<CurlVersion(major, minor, patch)
    }
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
