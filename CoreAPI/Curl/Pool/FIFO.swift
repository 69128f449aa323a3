internal import CoreAPICore

/// A first-in first-out list over an array, with amortised constant time at both ends.
///
/// `Array.removeFirst()` moves every remaining element, which makes emptying a queue of 10,000 quadratic.
struct FIFO<Element> {
    private var storage: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == storage.count }
    var count: Int { storage.count - head }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        // Short queues mostly hold one element, and this takes a fifth of the work.
        if storage.count == 1 { return storage.removeLast() }
        let element = storage[head]
        storage[head] = nil
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: storage.capacity <= 1_024)
            head = 0
        } else if head >= 64, head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes the unwanted elements; the others keep their order.
    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        storage = storage[head...].filter { $0.map { !isUnwanted($0) } ?? false }
        head = 0
    }

    /// The index of the first element that is not ordered before the searched one; for sorted lists.
    func firstIndex(notBefore isBefore: (Element) -> Bool) -> Int? {
        var low = head
        var high = storage.count
        while low < high {
            let middle = (low + high) / 2
            if let element = storage[middle], isBefore(element) { low = middle + 1 } else { high = middle }
        }
        return low < storage.count ? low : nil
    }

    /// The element at an index from ``firstIndex(notBefore:)``.
    subscript(index: Int) -> Element? {
        get { storage[index] }
        set { storage[index] = newValue }
    }
}
