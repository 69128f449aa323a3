internal import CoreAPICore

extension Defect {
    /// libcurl takes a busy connection of HTTP/1.1 for one that multiplexes where the same multi handle has one of HTTP/2 to that
    /// host, and reads one answer for another.
    ///
    /// The kit sends what needs HTTP/1.1, a body that is read as it comes, through a pool of its own. The fault needs a moment
    /// that a test cannot choose; `WorkaroundTests.busyConnectionShared` shows the right answers.
    static let busyConnectionShared = Defect(2, in: .every)
}

extension CurlLibrary {
    /// Whether an attempt's connections must not be those of buffered requests.
    func keepsApart(_ attempt: Attempt) -> Bool { attempt.streamsBody && has(.busyConnectionShared) }
}
