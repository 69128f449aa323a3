internal import CCurl
internal import CoreAPICore
internal import Foundation

/// The header lines of a request as a `curl_slist`, in a single block of memory.
///
/// libcurl neither copies nor frees a list that it gets (`CURLOPT_HTTPHEADER`). So the sending task builds the list, without a
/// call to libcurl and without an allocation for each line. It must live as long as a transfer that uses it.
///
/// `@unchecked`: written by `init` only, and by the one handle that has a list of its own; libcurl reads it.
final class HeaderList: @unchecked Sendable {
    private let block: UnsafeMutableRawBufferPointer
    private let count: Int

    /// The list, or `nil` if there is no line.
    let first: UnsafeMutablePointer<curl_slist>?
    /// Whether a line is a `Host`.
    let namesHost: Bool
    /// The bytes of all lines as HTTP/1.1 sends them, with a line end of two bytes.
    let size: Int

    /// - Parameters:
    ///   - block: a node for each line, followed by the lines, each ended by a NUL. The list takes ownership.
    ///   - text: the offset of the lines.
    ///   - size: their bytes on the wire.
    ///   - namesHost: whether one of them is a `Host`.
    fileprivate init(_ block: UnsafeMutableRawBufferPointer, text: Int, size: Int, count: Int, namesHost: Bool) {
        self.block = block
        self.size = size
        self.count = count
        self.namesHost = namesHost
        guard count > 0, let base = block.baseAddress else {
            first = nil
            return
        }
        let list = base.bindMemory(to: curl_slist.self, capacity: count)
        var line = (base + text).assumingMemoryBound(to: CChar.self)
        for index in 0..<count {
            list[index] = curl_slist(data: line, next: index + 1 < count ? list + index + 1 : nil)
            line += strlen(line) + 1
        }
        first = list
    }

    /// Appends another list after its own lines.
    func precede(_ list: HeaderList) {
        guard let first, count > 0 else { return }
        first[count - 1].next = list.first
    }

    deinit {
        block.deallocate()
    }
}

/// Header lines while they are collected, in the block that becomes a ``HeaderList``.
struct HeaderListBuilder: ~Copyable {
    private var block: UnsafeMutableRawBufferPointer
    private let text: Int
    private var end: Int
    private var count = 0

    /// - Parameter lines: the largest number of lines.
    init(atMost lines: Int) {
        text = lines * MemoryLayout<curl_slist>.stride
        end = text
        block = .allocate(byteCount: text + 256, alignment: MemoryLayout<curl_slist>.alignment)
    }

    deinit {
        block.deallocate()
    }

    /// - Parameter line: without a NUL.
    mutating func add(_ line: String) {
        append(line)
        endLine()
    }

    mutating func add(_ name: String, _ value: UnsafeBufferPointer<UInt8>) {
        append(name)
        if value.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            append(";")  // `Name:` would take the header out, `Name;` sends it empty.
        } else {
            append(": ")
            append(UnsafeRawBufferPointer(value))
        }
        endLine()
    }

    consuming func list(namesHost: Bool = false) -> HeaderList {
        // In place of the NUL, a line's end has two bytes.
        let list = HeaderList(block, text: text, size: end - text + count, count: count, namesHost: namesHost)
        discard self
        return list
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        makeRoom(for: bytes.count)
        block.baseAddress?.advanced(by: end).copyMemory(from: base, byteCount: bytes.count)
        end += bytes.count
    }

    private mutating func endLine() {
        makeRoom(for: 1)
        block[end] = 0
        end += 1
        count += 1
    }

    private mutating func makeRoom(for count: Int) {
        if end + count > block.count { grow(to: max(2 * block.count, end + count)) }
    }

    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: MemoryLayout<curl_slist>.alignment)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<end]))
        block.deallocate()
        block = larger
    }
}
