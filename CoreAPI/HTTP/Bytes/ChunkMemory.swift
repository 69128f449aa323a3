package import Foundation

/// Memory for the chunks of one body. It is used again once the reader of an earlier chunk has released it.
///
/// Fresh memory costs a page fault for each 4 KiB: half of the loop's time for a body of 1 GiB.
package final class ChunkMemory: Sendable {
    /// A chunk into which pieces are copied.
    ///
    /// `@unchecked`: filled by one thread at a time, and not after ``data``.
    package final class Chunk: @unchecked Sendable {
        private let bytes: UnsafeMutableRawPointer
        private let memory: ChunkMemory
        private var count = 0

        fileprivate init(_ bytes: UnsafeMutableRawPointer, of memory: ChunkMemory) { (self.bytes, self.memory) = (bytes, memory) }

        deinit { memory.giveBack(bytes) }

        /// - Returns: `false` if the piece does not fit; then nothing was copied.
        package func append(_ piece: UnsafeRawBufferPointer) -> Bool {
            guard count + piece.count <= ChunkMemory.size else { return false }
            if let base = piece.baseAddress { (bytes + count).copyMemory(from: base, byteCount: piece.count) }
            count += piece.count
            return true
        }

        /// Its bytes, without a copy. The chunk lives as long as they do.
        package var data: Data {
            Data(bytesNoCopy: bytes, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
        }
    }

    /// Bytes of a chunk. The system's allocator returns a larger one to the kernel each time (`M_MMAP_THRESHOLD`).
    package static let size = 64 * 1_024
    /// Chunks that wait for their next use: as many as may wait for a body's reader.
    private static let mostSpare = 8

    /// `@unchecked`: behind a lock.
    private struct Spare: @unchecked Sendable {
        var chunks: [UnsafeMutableRawPointer] = []
    }

    private let spare = Mutex(Spare())

    package init() {}

    deinit { spare.withLock { for bytes in $0.chunks { bytes.deallocate() } } }

    package func take() -> Chunk {
        let bytes = spare.withLock { $0.chunks.popLast() }
        return Chunk(bytes ?? .allocate(byteCount: Self.size, alignment: 16), of: self)
    }

    private func giveBack(_ bytes: UnsafeMutableRawPointer) {
        let isKept = spare.withLock { spare in
            guard spare.chunks.count < Self.mostSpare else { return false }
            spare.chunks.append(bytes)
            return true
        }
        if !isKept { bytes.deallocate() }
    }
}
