import CoreAPI
import CoreAPIHTTP
import CoreAPITesting
import Foundation
import Programs

struct UploadHost: EnvironmentType {
    var name = "test"
    var baseURL: String
}

extension Channel {
    static func test(_ baseURL: String, _ change: (inout Channel) -> Void = { _ in }) -> Channel {
        var channel = Channel(
            name: "test", environment: APIEnvironment(UploadHost(baseURL: baseURL), allowsInsecureConnections: true))
        change(&channel)
        return channel
    }

    var manager: NetworkManager<AdHocEndpoint> { NetworkManager(channel: self) }
}

/// A value that several tasks or threads of a test change.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    var current: Value { value.withLock { $0 } }

    func change(_ change: (inout Value) -> Void) {
        value.withLock { change(&$0) }
    }
}

/// A file that its owner removes.
final class TemporaryFile: Sendable {
    let url: URL

    init(_ data: Data) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
        try data.write(to: url)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

extension Data {
    /// Bytes that gzip cannot compress.
    static func noise(_ count: Int, seed: Int = 1) -> Data {
        var numbers = SplitMix(seed)
        var data = Data(capacity: count + 8)
        while data.count < count { Swift.withUnsafeBytes(of: numbers.next()) { data.append(contentsOf: $0) } }
        return data.prefix(count)
    }

    /// A sequence of pieces of this data.
    func pieces(_ size: Int) -> AsyncStream<Data> {
        let data = self
        let offset = Shared(0)
        return AsyncStream {
            var piece: Data?
            offset.change { offset in
                guard offset < data.count else { return }
                piece = Data(data.dropFirst(offset).prefix(size))
                offset += size
            }
            return piece
        }
    }
}
