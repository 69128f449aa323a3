internal import CoreAPICore

/// A first-in first-out list over an array, with amortised constant time at both ends.
///
/// `Array.removeFirst()` moves every element that stays, which makes emptying a queue of 10,000 quadratic.
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
        // Where little waits it is mostly one, and this is a fifth of the work.
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

    /// Keeps only what fits, in order.
    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        storage = storage[head...].filter { $0.map { !isUnwanted($0) } ?? false }
        head = 0
    }

    /// The position of the first element that is not ordered before what is looked for; for lists that are sorted.
    func firstIndex(notBefore isBefore: (Element) -> Bool) -> Int? {
        var low = head
        var high = storage.count
        while low < high {
            let middle = (low + high) / 2
            if let element = storage[middle], isBefore(element) { low = middle + 1 } else { high = middle }
        }
        return low < storage.count ? low : nil
    }

    /// An element by a position that ``firstIndex(notBefore:)`` gave.
    subscript(index: Int) -> Element? {
        get { storage[index] }
        set { storage[index] = newValue }
    }
}
