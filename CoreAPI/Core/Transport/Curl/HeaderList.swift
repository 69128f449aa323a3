internal import CCurl
internal import Foundation

/// The header lines of a request as a `curl_slist`, in a single block of memory.
///
/// libcurl neither copies nor frees a list that it is given (`CURLOPT_HTTPHEADER`), so the list may be built by the task that sends,
/// without a call to libcurl and without an allocation for each line; it must only live as long as a transfer that has it.
///
/// `@unchecked`: written by `init` only, and by the one handle that has a list of its own; libcurl reads it.
final class HeaderList: @unchecked Sendable {
    private let block: UnsafeMutableRawBufferPointer
    private let count: Int

    /// The list, or `nil` when there is no line.
    let first: UnsafeMutablePointer<curl_slist>?
    /// Whether a line says which host is asked.
    let namesHost: Bool

    /// - Parameters:
    ///   - text: the lines, each ended by a NUL.
    ///   - count: how many there are.
    ///   - namesHost: whether one of them is a `Host`.
    init(_ text: [UInt8], count: Int, namesHost: Bool = false) {
        self.count = count
        self.namesHost = namesHost
        let nodes = count * MemoryLayout<curl_slist>.stride
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, nodes + text.count), alignment: MemoryLayout<curl_slist>.alignment)
        self.block = block
        text.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: block[nodes...]).copyMemory(from: $0) }
        guard count > 0, let base = block.baseAddress else {
            first = nil
            return
        }
        let list = base.bindMemory(to: curl_slist.self, capacity: count)
        var line = (base + nodes).assumingMemoryBound(to: CChar.self)
        for index in 0..<count {
            list[index] = curl_slist(data: line, next: index + 1 < count ? list + index + 1 : nil)
            line += strlen(line) + 1
        }
        first = list
    }

    /// Puts the lines of another list behind its own.
    func precede(_ list: HeaderList) {
        guard let first, count > 0 else { return }
        first[count - 1].next = list.first
    }

    deinit {
        block.deallocate()
    }
}
