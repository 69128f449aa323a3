internal import CCurl
internal import CoreAPICore

/// Easy handles that have served and may serve again. Making and freeing one costs 15,000 instructions together, and setting the
/// options that stay the same costs 5,000. On the loop's thread only.
struct CurlHandlePool {
    private var handles: [CurlHandle] = []
    private let capacity: Int
    private let connections: LoopConnections

    /// - Parameter capacity: how many idle handles are kept. Each has some 8 KiB. After an HTTP/2 stream it also keeps its
    ///   buffers, of up to 64 KiB in each direction.
    init(capacity: Int, connections: LoopConnections) {
        self.capacity = capacity
        self.connections = connections
    }

    /// A handle of the same form, or a new one; `nil` if libcurl has no memory for another.
    mutating func take(_ form: CurlHandle.Form) -> CurlHandle? {
        // Nearly always the last one matches. If there are many others, a new handle is cheaper than a long search.
        if let last = handles.last, last.form == form { return handles.removeLast() }
        if let index = handles.suffix(Self.searched).lastIndex(where: { $0.form == form }) {
            handles.swapAt(index, handles.count - 1)
            return handles.removeLast()
        }
        return CurlGlobal.code == CURLE_OK ? CurlHandle(connections) : nil
    }

    /// Takes back a handle that is in no multi handle, after a successful exchange.
    mutating func put(_ handle: CurlHandle) {
        guard handle.mayServeAgain, capacity > 0 else { return }
        // The oldest goes, because its form is not the one in use now.
        if handles.count >= capacity { handles.removeFirst() }
        handles.append(handle)
    }

    private static let searched = 16
}

extension TransportError {
    /// libcurl has no memory for another handle (`CURLE_OUT_OF_MEMORY`).
    static let outOfHandles = TransportError.other(code: 27, message: "out of memory for another transfer")
}
