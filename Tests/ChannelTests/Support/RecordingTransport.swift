import CoreAPI
import CoreAPIHTTP
import Foundation
import HTTPTypes

/// Records every request and passes it on.
final class RecordingTransport: Transport {
    private let next: any Transport
    private let kept = Mutex<[Request]>([])

    init(_ next: any Transport = CurlTransport()) {
        self.next = next
    }

    /// The sent requests, oldest first.
    var requests: [Request] { kept.withLock { $0 } }

    func send(_ attempt: Attempt) async -> RawResponse {
        kept.withLock { $0.append(attempt.request) }
        return await next.send(attempt)
    }

    func close() async { await next.close() }
}

extension Request {
    /// A header's value by its name in any case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.canonicalName == name.lowercased() }?.value
    }
}
