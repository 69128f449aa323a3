import CCurlMemory
import Foundation
import Testing

/// Each test has a thread of its own, as a loop has. Under the address sanitizer nothing is kept.
@Suite("libcurl's memory", .enabled(if: dlsym(nil, "__asan_init") == nil))
struct CurlMemoryTests {
    @Test("what is freed is handed out again, to who asks for no more than it holds")
    func reuse() async {
        await onThreadThatKeeps {
            let first = usual(100)
            let before = ccurlmemory_kept()
            ccurlmemory_free(first)
            #expect(ccurlmemory_kept() >= before + 100)
            let larger = ccurlmemory_malloc(1_000)
            #expect(larger != first)
            let second = ccurlmemory_malloc(99)
            #expect(second == first)
            #expect(ccurlmemory_kept() == before)
            ccurlmemory_free(larger)
            ccurlmemory_free(second)
        }
    }

    @Test("every size is handed out again, and the smaller of a class serves the larger")
    func sizes() async {
        await onThreadThatKeeps {
            for size in [0, 24, 25, 41, 1_496, 2_041, 2_048, 2_056, 2_057, 2_568, 16_385, 65_537, 79_000, 98_304] {
                for _ in 0..<1_000 { ccurlmemory_free(ccurlmemory_malloc(size)) }
                let kept = ccurlmemory_kept()
                #expect(kept >= size && kept <= 2 * size + 64, "\(size)")
                let block = ccurlmemory_malloc(size)
                #expect(ccurlmemory_kept() + size <= kept, "\(size)")
                ccurlmemory_end()
                ccurlmemory_begin()
                fill(block, size)
                free(block)
            }
            // Of one class.
            for _ in 0..<1_000 {
                let (larger, smaller) = (ccurlmemory_malloc(2_500), ccurlmemory_malloc(2_100))
                fill(larger, 2_500)
                ccurlmemory_free(larger)
                ccurlmemory_free(smaller)
            }
            #expect(ccurlmemory_kept() <= 4 * 2_568)
        }
    }

    @Test(
        "what malloc gave is kept as what it has room for, whatever was asked of it",
        arguments: [24, 100, 2_047, 2_500, 9_000, 81_000])
    func others(size: Int) async {
        await onThreadThatKeeps {
            ccurlmemory_free(malloc(size))
            let block = ccurlmemory_malloc(size - 23)
            fill(block, size - 23)
            ccurlmemory_free(block)
            for _ in 0..<1_000 { ccurlmemory_free(malloc(size)) }
            #expect(ccurlmemory_kept() <= 1 << 20)
        }
    }

    @Test("what calloc hands out is zero, whoever had it before")
    func zeroes() async {
        await onThreadThatKeeps {
            let dirty = usual(1_496)
            fill(dirty, 1_496)
            ccurlmemory_free(dirty)
            let clean = ccurlmemory_calloc(187, 8)
            #expect(clean == dirty)
            #expect(bytes(of: clean, count: 1_496).allSatisfy { $0 == 0 })
            #expect(ccurlmemory_calloc(.max, 3) == nil)
            ccurlmemory_free(clean)
        }
    }

    @Test("what grows keeps what is in it", arguments: [0, 1, 24, 40, 2_048, 2_049, 70_000, 131_072])
    func growth(from size: Int) async {
        await onThreadThatKeeps {
            var block = ccurlmemory_realloc(nil, size)
            for index in 0..<size { block?.storeBytes(of: UInt8(truncatingIfNeeded: index), toByteOffset: index, as: UInt8.self) }
            for larger in [size + 1, 2 * size + 16, 140_000, 200_000] {
                block = ccurlmemory_realloc(block, larger)
                #expect(
                    bytes(of: block, count: size).enumerated().allSatisfy { $0.element == UInt8(truncatingIfNeeded: $0.offset) })
            }
            block = ccurlmemory_realloc(block, 16)
            #expect(bytes(of: block, count: min(size, 16)).enumerated().allSatisfy { Int($0.element) == $0.offset })
            ccurlmemory_free(block)
        }
    }

    @Test("texts are copied")
    func texts() async {
        await onThreadThatKeeps {
            for text in ["", "a", String(repeating: "host", count: 600)] {
                let copy = ccurlmemory_strdup(text)
                #expect(copy.map { String(cString: $0) } == text)
                ccurlmemory_free(copy)
            }
        }
    }

    @Test("blocks of all sizes, in any order, never overlap, and no more than 1 MiB is kept")
    func disorder() async {
        await onThreadThatKeeps {
            let seed = UInt64.random(in: 0..<1 << 32)
            var random = SplitMix(seed)
            var blocks: [(start: UnsafeMutableRawPointer, count: Int, mark: UInt8)] = []
            for step in 0..<20_000 {
                if blocks.count < 200, Bool.random(using: &random) || blocks.isEmpty {
                    let count = Int.random(in: 0...(Bool.random(using: &random) ? 200 : 140_000), using: &random)
                    guard let start = ccurlmemory_malloc(count) else {
                        Issue.record("no memory")
                        return
                    }
                    let mark = UInt8(truncatingIfNeeded: step)
                    memset(start, Int32(mark), count)
                    blocks.append((start, count, mark))
                } else {
                    blocks.swapAt(.random(in: blocks.indices, using: &random), blocks.count - 1)
                    let block = blocks.removeLast()
                    // Its ends, and one in its middle: who overlaps a block begins or ends in it.
                    for place in [0, block.count / 2, block.count - 1] where place >= 0 && block.count > 0 {
                        #expect(block.start.load(fromByteOffset: place, as: UInt8.self) == block.mark, "seed \(seed)")
                    }
                    ccurlmemory_free(block.start)
                }
                #expect(ccurlmemory_kept() <= 1 << 20)
            }
            for block in blocks { ccurlmemory_free(block.start) }
        }
    }

    @Test("a block may be freed on another thread, and by free")
    func otherThreads() async {
        let address = await onThreadThatKeeps { UInt(bitPattern: usual(500)) }
        await onThreadThatKeeps {
            ccurlmemory_free(UnsafeMutableRawPointer(bitPattern: address))
            #expect(ccurlmemory_kept() >= 500)
            let again = ccurlmemory_malloc(500)
            #expect(UInt(bitPattern: again) == address)
            free(again)
        }
    }

    @Test("a thread that keeps nothing, and one that has ended, use malloc")
    func withoutKeeping() async {
        await onThread {
            ccurlmemory_free(ccurlmemory_malloc(100))
            #expect(ccurlmemory_kept() == 0)
            ccurlmemory_begin()
            ccurlmemory_free(ccurlmemory_realloc(ccurlmemory_calloc(1, 100), 200))
            ccurlmemory_end()
            ccurlmemory_end()
            #expect(ccurlmemory_kept() == 0)
            ccurlmemory_free(ccurlmemory_strdup("text"))
            #expect(ccurlmemory_kept() == 0)
        }
    }

    @Test("a block that is freed twice ends the process, as with malloc")
    func freedTwice() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            ccurlmemory_begin()
            let (first, second) = (ccurlmemory_malloc(100), ccurlmemory_malloc(100))
            ccurlmemory_free(first)
            ccurlmemory_free(second)
            ccurlmemory_free(first)
        }
    }

    @Test("a freed block that was written to ends the process before another is handed out where the writer says")
    func writtenAfterFree() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            Self.writeAfterFree(0x41)
            _ = ccurlmemory_malloc(100)
        }
        await #expect(processExitsWith: .signal(SIGABRT)) {
            Self.writeAfterFree(0)
            _ = ccurlmemory_malloc(100)
        }
    }

    @Test("or before what the writer says is freed")
    func writtenBeforeEnd() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            Self.writeAfterFree(0x41)
            ccurlmemory_end()
        }
        await #expect(processExitsWith: .signal(SIGABRT)) {
            Self.writeAfterFree(0)
            ccurlmemory_end()
        }
    }

    /// A block that has just the room of its size: malloc gives 16 bytes more where the rest would be too small for a block.
    private func usual(_ size: Int) -> UnsafeMutableRawPointer? {
        for _ in 0..<100 { ccurlmemory_free(ccurlmemory_malloc(size)) }
        return ccurlmemory_malloc(size)
    }

    private static func writeAfterFree(_ byte: UInt8) {
        ccurlmemory_begin()
        let block = ccurlmemory_malloc(100)
        ccurlmemory_free(block)
        UnsafeMutableRawBufferPointer(start: block, count: 24).copyBytes(from: repeatElement(byte, count: 24))
    }

    private func fill(_ block: UnsafeMutableRawPointer?, _ count: Int) {
        UnsafeMutableRawBufferPointer(start: block, count: count).copyBytes(from: repeatElement(0xFF, count: count))
    }

    private func bytes(of block: UnsafeMutableRawPointer?, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: block, count: count)
    }

    private func onThreadThatKeeps<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await onThread {
            ccurlmemory_begin()
            defer { ccurlmemory_end() }
            return body()
        }
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
