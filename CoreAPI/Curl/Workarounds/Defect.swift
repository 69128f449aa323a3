/// Something that libcurl does wrong and the kit works around. Each has a file in this folder, which says what it is, which
/// versions have it, how the kit gets round it and which test shows it.
package struct Defect: Sendable {
    fileprivate let bit: UInt32
    package let versions: Range<CurlVersion>

    /// - Parameters:
    ///   - number: its own among all of them.
    ///   - versions: the libraries that have it.
    init(_ number: UInt32, in versions: Range<CurlVersion>) {
        bit = 1 << number
        self.versions = versions
    }

    package func isPresent(in version: CurlVersion) -> Bool { versions.contains(version) }

    package static let all: [Defect] = [
        .busyConnectionShared, .deafPause, .endlessReading, .endlessUpload, .hiddenFailure, .keptBuffer, .lostTimer,
        .rememberedField, .silentEnd, .unannouncedEnd, .unreadBytes,
    ]
}

extension Range<CurlVersion> {
    /// Those before the first that is known to do it right.
    static func before(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) -> Self {
        .oldest..<CurlVersion(major, minor, patch)
    }

    /// Those that are known, and the next ones.
    static var every: Self { .oldest ..< .unreleased }
}

/// The defects that a libcurl has.
struct Defects: Sendable {
    private var bits: UInt32 = 0

    init(of version: CurlVersion) {
        for defect in Defect.all where defect.isPresent(in: version) { bits |= defect.bit }
    }

    func contains(_ defect: Defect) -> Bool { bits & defect.bit != 0 }
    mutating func remove(_ defect: Defect) { bits &= ~defect.bit }
}
