internal import CoreAPICore

// libcurl treats a busy HTTP/1.1 connection as multiplexed if the same multi handle has an HTTP/2 connection to that host. It
// then mixes up responses.
//
// The kit sends requests that need HTTP/1.1, those with streamed bodies, through a separate pool; also `WorkaroundTests.apart`.

extension Attempt {
    /// Whether it needs other connections than buffered requests.
    var needsDedicatedConnections: Bool { streamsBody }
}
