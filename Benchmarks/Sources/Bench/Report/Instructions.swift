/// Instructions of one request, one at a time, of all threads.
struct Instructions: Codable {
    let date: String
    /// By client.
    let perRequest: [String: Shares]

    /// The instructions by library; the rest are the client's own.
    struct Shares: Codable {
        let all: Int
        let libcurl: Int
        let libc: Int
        /// The standard library, the runtime of tasks, Dispatch and Foundation.
        let swift: Int
    }

    /// - Parameter lines: two lines for each client. Each has the client's name, a number of requests and the instructions of the
    ///   whole process, of libcurl, of the C library and of Swift's libraries.
    init?(lines: [String], date: String) {
        var counts: [String: [[Int]]] = [:]
        for line in lines {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().compactMap { Int($0) }
            guard numbers.count == 5, words.count == 6 else { continue }
            counts[String(words[0]), default: []].append(numbers)
        }
        // The difference of two runs does not include the start and the end of the process.
        perRequest = counts.compactMapValues { runs in
            guard let least = runs.min(by: { $0[0] < $1[0] }), let most = runs.max(by: { $0[0] < $1[0] }), most[0] > least[0]
            else { return nil }
            let each = zip(most, least).map { ($0 - $1) / (most[0] - least[0]) }
            return Shares(all: each[1], libcurl: each[2], libc: each[3], swift: each[4])
        }
        if perRequest.isEmpty { return nil }
        self.date = date
    }
}

extension Table {
    init(_ instructions: Instructions) {
        heads = ["client", "instructions a request", "× C", "in libcurl", "in the C library", "in Swift's libraries", "its own"]
        let raw = instructions.perRequest[Client.rawc.rawValue]?.all
        rows = Client.allCases.compactMap { client in
            instructions.perRequest[client.rawValue].map { count in
                let own = count.all - count.libcurl - count.libc - count.swift
                return [client.title, whole(Double(count.all)), raw.map { digits(Double(count.all) / Double($0)) } ?? "–"]
                    + [count.libcurl, count.libc, count.swift, own].map { whole(Double($0)) }
            }
        }
    }
}
