#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension UnsafeRawBufferPointer {
    /// The index of the next `byte` from `start` on; `nil` if there is no such byte.
    // The system's search compares 16 to 32 bytes at a time.
    func index(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}
