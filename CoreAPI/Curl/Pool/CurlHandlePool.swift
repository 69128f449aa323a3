internal import CCurl
internal import CoreAPICore

/// Easy handles that have served and may serve again. Making one and freeing one are 15,000 instructions together, and telling it
/// all that does not change from one exchange to the next are 5,000. On the loop's thread only.
struct CurlHandlePool {
    private var handles: [CurlHandle] = []
    private let capacity: Int
    private let connections: LoopConnections

    /// - Parameter capacity: how many are kept while they have nothing to do. Each has some 8 KiB, and after a stream of HTTP/2
    ///   its buffers besides, of up to 64 KiB in each direction.
    init(capacity: Int, connections: LoopConnections) {
        self.capacity = capacity
        self.connections = connections
    }

    /// A handle that was told the same for good, or a new one; `nil` when libcurl gives no further one.
    mutating func take(_ form: CurlHandle.Form) -> CurlHandle? {
        // Nearly always the last one; where there are many others, a new one is cheaper than a long search.
        if let last = handles.last, last.form == form { return handles.removeLast() }
        if let index = handles.suffix(Self.searched).lastIndex(where: { $0.form == form }) {
            handles.swapAt(index, handles.count - 1)
            return handles.removeLast()
        }
        return CurlGlobal.code == CURLE_OK ? CurlHandle(connections) : nil
    }

    /// Takes a handle back that is in no multi handle, after an exchange that went as it should.
    mutating func put(_ handle: CurlHandle) {
        guard handle.mayServeAgain, capacity > 0 else { return }
        // Rather the oldest goes than what is asked for now.
        if handles.count >= capacity { handles.removeFirst() }
        handles.append(handle)
    }

    private static let searched = 16
}

extension TransportError {
    /// libcurl has no memory for another handle (`CURLE_OUT_OF_MEMORY`).
    static let outOfHandles = TransportError.curl(code: 27, message: "out of memory for another transfer")
}
