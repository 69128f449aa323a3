/// A defect that some versions of libcurl have. Most defects are in every version: their workarounds have no condition.
///
/// Each defect has a file in this folder, which describes it and the workaround. `docs/libcurl` has a program for each that shows
/// it, and the versions. The test that fails without the workaround is that of `WorkaroundTests` with the defect's name, unless
/// the file names another.
struct CurlDefect: Sendable {
    let bit: UInt32
    let versions: Range<CurlVersion>

    /// - Parameter number: unique among the defects.
    init(_ number: UInt32, in versions: Range<CurlVersion>) {
        bit = 1 << number
        self.versions = versions
    }

    func isPresent(in version: CurlVersion) -> Bool { versions.contains(version) }

    static let all: [CurlDefect] = [
        .keptBuffer, .keptConnection, .lostField, .missedResponse, .rememberedField, .spinningUpload,
    ]
}

extension Range<CurlVersion> {
    /// All versions before the first one known to be right.
    static func before(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) -> Self { .oldest..<CurlVersion(major, minor, patch) }
}
