import CoreAPIURLSession
import Dispatch
import TestSupport

@testable import CoreAPITransfers

@Suite("An upload", .closing, .timeLimit(.minutes(2)))
struct UploadTests {
    private static let data = Data.noise(300_000)

    private struct Receipt: Decodable {
        let bytes: Int
    }

    private static let receipt: @Sendable (ReceivedRequest) -> ServerReply = { .json(#"{"bytes":\#($0.bodyLength)}"#) }

    enum Source: CaseIterable {
        case bytes, file, sequence, sequenceOfLength, once

        func body(_ data: Data, _ file: TemporaryFile) -> Body {
            switch self {
            case .bytes: .bytes(data)
            case .file: .file(file.url)
            case .sequence: .cut(data, every: 10_000)
            case .sequenceOfLength: .cut(data, every: 10_000, length: Int64(data.count))
            case .once: .once(data.pieces(10_000), length: Int64(data.count))
            }
        }
    }

    @Test("arrives complete from any source, with its length if that is known", arguments: Source.allCases)
    func arrives(from source: Source) async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let file = try TemporaryFile(Self.data)
        let upload = server.manager
            .upload(.post("items", query: ["kind": "photo"]), from: source.body(Self.data, file), as: .decodable(Receipt.self))
        #expect(try await upload.value.bytes == 300_000)
        #expect(await upload.lastProgress == TransferProgress(completed: 300_000, total: source == .sequence ? nil : 300_000))
        let request = try #require(server.requests.first)
        #expect(request.body == Self.data && request.target == "/items?kind=photo")
        #expect(request.headers["Content-Type"] == "application/octet-stream")
        #expect((request.headers["Content-Length"] == nil) == (source == .sequence))
        #expect((request.headers["Transfer-Encoding"] == "chunked") == (source == .sequence))
    }

    @Test("shows its progress over URLSession, too", arguments: [Source.bytes, .file, .sequence])
    func overURLSession(from source: Source) async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let file = try TemporaryFile(Self.data)
        let channel = Channel.test(server.url) { $0.transport = URLSessionTransport() }
        let upload = channel.manager.upload(.post("items"), from: source.body(Self.data, file), as: .decodable(Receipt.self))
        #expect(try await upload.value.bytes == 300_000)
        #expect(await upload.lastProgress.completed == 300_000)
    }

    @Test("sends the endpoint's own body, a form with a file, and counts it")
    func form() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let file = try TemporaryFile(Self.data)
        let form = MultipartForm([.text("title", "Bag"), .file("photo", file.url)])
        let upload = server.manager.upload(.post("items", encoding: .multipart(form)), as: .decodable(Receipt.self))
        let progress = upload.foundationProgress
        let bytes = try await upload.value.bytes
        #expect(bytes > 300_000)
        #expect(progress.completedUnitCount == Int64(bytes) && progress.totalUnitCount == Int64(bytes))
        #expect(progress.fractionCompleted == 1)
        #expect(server.requests.first?.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true)
    }

    @Test("decodes the value of an endpoint that knows its response")
    func typed() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let endpoint = PUT<Void, Receipt>("items/1")
        #expect(try await server.manager.upload(endpoint, from: .bytes(Data(count: 7))).value.bytes == 7)
    }

    @Test("leaves bytes in memory, so that they can be signed, and may take a day if no level has a timeout")
    func untouched() async throws {
        let transport = RecordingTransport()
        let manager = Channel.test(transport).manager
        try await manager.upload(.post("a"), from: .bytes(Self.data)).value
        try await manager.upload(
            .post("a", modifiers: [Timeout(.seconds(7))]), from: .bytes(Self.data), options: UploadOptions(compression: .gzip)
        ).value
        #expect(transport.requests.allSatisfy { if case .bytes = $0.body { true } else { false } })
        #expect(transport.requests.map(\.timeout.total) == [.seconds(86_400), .seconds(7)])
    }

    @Test("has a fraction only of a known length")
    func fraction() {
        #expect(TransferProgress(completed: 1, total: 4).fraction == 0.25)
        #expect(TransferProgress(completed: 1).fraction == nil)
        #expect(TransferProgress(completed: 0, total: 0).fraction == 1)
        #expect(TransferProgress(completed: 9, total: 4).fraction == 1)
        #expect(TransferProgress(completed: -9, total: 4).fraction == 0)
    }

    @Test("of a sequence that can be read only once is not repeated after a lost connection", arguments: [true, false])
    func once(isOnce: Bool) async throws {
        let server = try LoopbackServer.test { _ in .resetBeforeHead }
        let channel = Channel.test(server.url) { $0.interceptors = [RetryPolicy(attempts: 3, base: .zero)] }
        let body: Body = isOnce ? .once(Self.data.pieces(10_000)) : .cut(Self.data, every: 10_000)
        let response = await channel.manager.upload(.put("a"), from: body).response
        #expect(response.error?.label == "transport.connectionLost", "\(response.result)")
        #expect(response.attempts.count == (isOnce ? 1 : 3))
        #expect(server.requests.filter { $0.bodyLength > 0 }.count == (isOnce ? 1 : 3))
    }

    @Test("of a sequence that can be read only once is not repeated with a fresh token", arguments: [true, false])
    func onceWithoutToken(isOnce: Bool) async throws {
        let server = try LoopbackServer.test { .status($0.headers["authorization"] == "Bearer new" ? 200 : 401) }
        let channel = Channel.test(server.url) { $0.attemptMiddleware = [BearerAuthentication(token: "old") { _ in "new" }] }
        let body: Body = isOnce ? .once(Self.data.pieces(10_000)) : .cut(Self.data, every: 10_000)
        #expect(await channel.manager.upload(.put("a"), from: body).response.head?.status.code == (isOnce ? 401 : 200))
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer old"] + (isOnce ? [] : ["Bearer new"]))
    }

    @Test("of a sequence that can be read only once does not follow a redirect that repeats it")
    func redirect() async throws {
        let server = try LoopbackServer.test { _ in .redirect(to: "/b", status: 307) }
        let response = await upload(.once(Self.data.pieces(10_000)), to: server.url).response
        #expect(response.error?.label == "transport.redirectRejected", "\(response.result)")
        #expect(server.requests.count == 1)
    }

    @Test("counts from 0 again after a redirect")
    func redirectCounts() async throws {
        let server = try LoopbackServer.test { $0.path == "/a" ? .redirect(to: "/b", status: 307) : .ok() }
        let upload = upload(.bytes(Self.data), to: server.url)
        try await upload.value
        #expect(await upload.lastProgress.completed == 300_000)
        #expect(server.requests.map(\.bodyLength) == [300_000, 300_000])
    }

    @Test("of the same once-sequence fails a second time, and sends nothing")
    func readTwice() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let body = Body.once(Self.data.pieces(10_000))
        try await upload(body, to: server.url).value
        let second = await upload(body, to: server.url).response
        #expect(second.transportError?.bodyError as? BodyError == .readTwice, "\(second.result)")
        #expect(server.requests.filter { $0.error == nil }.count == 1)
    }

    @Test("stops at an early response, and delivers it", arguments: [413, 401], [true, false])
    func early(status: Int, isFile: Bool) async throws {
        let received = Shared(0)
        // Answers after some bytes of the body and reads no further.
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            while received.current < 100_000 {
                let piece = connection.read(upTo: 65_536)
                guard !piece.isEmpty else { return }
                received.change { $0 += piece.count }
            }
            connection.answer(status, [:], "no")
            while connection.hasByte(within: 2_000), case let piece = connection.read(upTo: 65_536), !piece.isEmpty {
                received.change { $0 += piece.count }
            }
        }
        let size = 200 << 20
        let file = try TemporaryFile(Data())
        #expect(truncate(file.url.path, off_t(size)) == 0)
        let piece = Data(count: 1 << 16)
        let body: Body = isFile ? .file(file.url) : .stream(Body.Stream { AsyncStream { piece } })
        let response = await upload(body, to: server.url).response
        #expect(response.head?.status.code == status && response.data == Data("no".utf8))
        #expect(received.current < size)
    }

    @Test("arrives over HTTP/2, and stops at an early response there, too")
    func multiplexed() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(), answersEarly: true) {
            $0.path == "/rejected" ? .status(413, body: Data("no".utf8)) : .ok()
        }
        let channel = Channel.test(server)
        let accepted = await channel.manager.upload(.post("a"), from: .bytes(Self.data)).response
        #expect(accepted.error == nil && accepted.metrics?.httpVersion == "HTTP/2")
        let rejected = await channel.manager.upload(.post("rejected"), from: .bytes(Data(count: 20 << 20))).response
        #expect(rejected.head?.status.code == 413 && rejected.data == Data("no".utf8))
        #expect(rejected.metrics?.httpVersion == "HTTP/2")
    }

    @Test("asks first on request: no byte of a rejected body is sent")
    func rejectedBeforehand() async throws {
        let (received, expectation) = (Shared(0), Shared(""))
        let server = try RawServer { connection in
            guard let head = connection.head() else { return }
            expectation.change { $0 = head.fields["expect"] ?? "" }
            connection.answer(413, ["Connection": "close"])
            while case let piece = connection.read(upTo: 65_536), !piece.isEmpty { received.change { $0 += piece.count } }
        }
        let channel = Channel.test(server.url)
        let options = UploadOptions(expectsContinue: true)
        let response = await channel.manager.upload(.post("a"), from: .bytes(Self.data), options: options).response
        #expect(response.head?.status.code == 413)
        #expect(expectation.current == "100-continue")
        await channel.close()
        #expect(received.current == 0)
    }

    @Test("asks first on request: sends at once after 100, and after a second without it", arguments: [true, false])
    func continued(answers: Bool) async throws {
        let early = Shared(true)
        let server = try RawServer { connection in
            guard let head = connection.head() else { return }
            early.change { $0 = connection.hasByte(within: 200) }
            if answers { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            connection.answer(connection.discardBody(head) == head.length ? 200 : 400)
        }
        let options = UploadOptions(expectsContinue: true)
        let started = ContinuousClock.now
        try await upload(.bytes(Self.data), to: server.url, options).value
        #expect(!early.current)
        if !answers { #expect(ContinuousClock.now - started > .milliseconds(800)) }
    }

    @Test("of a form sends each part before the next one is made")
    func partByPart() async throws {
        let arrived = try Gate()
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            var text = ""
            func read(through end: String) {
                while !text.contains(end), case let piece = connection.read(upTo: 65_536), !piece.isEmpty {
                    text += String(decoding: piece, as: UTF8.self)
                }
            }
            read(through: "first value")
            if !text.contains("second value") { arrived.open() }
            read(through: "--\r\n")
            connection.answer(text.contains("second value") ? 200 : 400)
        }
        let second = Body.stream(
            Body.Stream {
                let isFirst = Shared(true)
                return AsyncThrowingStream<Data, any Error> {
                    guard isFirst.exchange(false) else { return nil }
                    try await arrived.waitUntilOpen()
                    return Data("second value".utf8)
                }
            })
        let form = MultipartForm([.text("a", "first value"), MultipartForm.Part("b", body: second)])
        try await upload(form.body(), to: server.url).value
    }

    /// Versions of libcurl differ: some send the body at once, others wait for a second at most.
    @Test("asks first on request, over HTTP/2, too: the body arrives whole although the server sends no 100")
    func continuedMultiplexed() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2]), Self.receipt)
        let manager = server.manager
        let options = UploadOptions(expectsContinue: true)
        for body in [Body.bytes(Self.data), .cut(Self.data, every: 10_000)] {
            let started = ContinuousClock.now
            let response = await manager.upload(.post("a"), from: body, as: .decodable(Receipt.self), options: options).response
            #expect(try response.value.bytes == 300_000)
            #expect(response.metrics?.httpVersion == "HTTP/2")
            #expect(ContinuousClock.now - started < .seconds(20))
        }
        #expect(server.requests.map(\.headers["Expect"]) == ["100-continue", "100-continue"])
    }

    /// RFC 9110 §10.1.1.
    @Test(
        "a server that rejects the expectation (417) before the body gets the request again without it",
        arguments: Source.allCases, [HTTPMethod.post, .put])
    func expectationFailed(from source: Source, method: HTTPMethod) async throws {
        let (expectations, received) = (Shared<[String?]>([]), Shared(0))
        let server = try RawServer { connection in
            guard let head = connection.head() else { return }
            expectations.change { $0.append(head.fields["expect"]) }
            guard head.fields["expect"] == nil else {
                return connection.answer(417, ["Content-Type": "text/plain", "Connection": "close"], "not here")
            }
            var count = 0
            while count < 300_000, case let piece = connection.read(upTo: 65_536), !piece.isEmpty { count += piece.count }
            received.change { $0 = count }
            connection.answer(200, ["Connection": "close"])
        }
        let file = try TemporaryFile(Self.data)
        let body = source.body(Self.data, file)
        let response = await Channel.test(server.url).manager
            .upload(TypedEndpoint(method, "a"), from: body, options: UploadOptions(expectsContinue: true)).response
        // A body that can be read only once is never sent again.
        guard source != .once else {
            #expect(response.error?.label == "verification.unacceptableStatus.417", "\(response)")
            return #expect(expectations.current == ["100-continue"])
        }
        #expect(response.error == nil && response.attempts.map(\.status) == [417, 200], "\(response)")
        #expect(expectations.current == ["100-continue", nil])
        #expect(received.current >= 300_000)
    }

    @Test("a rejected expectation counts as an attempt, and a header of the endpoint is left out, too", arguments: [1, 2, 3])
    func expectationOfAnEndpoint(attempts: Int) async throws {
        let isRejected = Shared(attempts == 3)
        let server = try LoopbackServer.test {
            $0.headers["expect"] != nil ? .status(417) : isRejected.exchange(false) ? .status(503) : Self.receipt($0)
        }
        let channel = Channel.test(server.url) {
            $0.limits.attempts = attempts
            $0.interceptors = [RetryPolicy(base: .milliseconds(1))]
        }
        let endpoint = TypedEndpoint(.put, "a", headers: ["Expect": "100-Continue"])
        let response = await channel.manager.upload(endpoint, from: .bytes(Self.data), as: .decodable(Receipt.self)).response
        #expect(response.attempts.map(\.status) == Array([417, attempts == 3 ? 503 : 200, 200].prefix(attempts)), "\(response)")
        #expect(server.requests.map(\.headers["Expect"]) == Array(["100-Continue", nil, nil].prefix(attempts)))
        #expect(server.requests.allSatisfy { $0.body == Self.data })
    }

    @Test("an expectation that an interceptor adds to each attempt is left out after its rejection", arguments: [200, 417])
    func expectationOfAnInterceptor(status: Int) async throws {
        struct Expecting: RequestInterceptor {
            func adapt(_ request: inout Request) async throws { request.headers[.expect] = "100-continue" }
        }
        let server = try LoopbackServer.test { .status($0.headers["expect"] == nil ? status : 417) }
        let response = await upload(.bytes(Self.data), to: server.url) {
            ($0.limits.attempts, $0.interceptors) = (5, [Expecting()])
        }.response
        #expect(response.attempts.map(\.status) == [417, status], "\(response)")
        #expect(server.requests.map(\.headers["Expect"]) == ["100-continue", nil])
    }

    @Test(
        "over HTTP/2, a request with a 417 in the middle of the body is sent again once, if its body can be read again",
        arguments: [Source.bytes, .once])
    func expectationFailedMultiplexed(from source: Source) async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2]), answersEarly: true) {
            .status($0.headers["Expect"] == nil ? 413 : 417)
        }
        let file = try TemporaryFile(Self.data)
        let options = UploadOptions(expectsContinue: true)
        let response = await server.manager.upload(.post("a"), from: source.body(Self.data, file), options: options).response
        let statuses = source == .once ? [417] : [417, 413]
        #expect(response.error?.label == "verification.unacceptableStatus.\(statuses.last ?? 0)", "\(response)")
        #expect(response.metrics?.httpVersion == "HTTP/2")
        #expect(response.attempts.map(\.status) == statuses && server.requests.count == statuses.count)
    }

    /// Not a 417 to an expectation: libcurl drops its body.
    @Test("an early response that is cut is an error", arguments: [(413, true), (413, false), (417, false)], ["", "not all"])
    func cutEarlyAnswer(_ answer: (status: Int, expectsContinue: Bool), body part: String) async throws {
        let (status, expectsContinue) = answer
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            if expectsContinue { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            _ = connection.read(upTo: 10)
            connection.send("HTTP/1.1 \(status) X\r\nContent-Length: 100\r\n\r\n\(part)")
            connection.cut(resetting: false)
        }
        // More than the buffers between both sides hold.
        let body = Body.cut(Data(count: 30_000_000), every: 100_000, length: 30_000_000)
        let response = await upload(body, to: server.url, UploadOptions(expectsContinue: expectsContinue)).response
        #expect(["transport.truncated", "transport.connectionLost"].contains(response.error?.label), "\(response.result)")
    }

    private struct Broken: Error {}

    @Test(
        "fails with the error of a stream that throws, plain, compressed, paced and in a form", arguments: [nil, 20] as [Int64?],
        [UploadOptions(), UploadOptions(compression: .gzip), UploadOptions(bytesPerSecond: 1 << 20), nil])
    func throwing(length: Int64?, options: UploadOptions?) async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let broken = Body.breaking(with: Broken(), length: length)
        let body = options == nil ? try MultipartForm([.init("a", body: broken), .text("b", "c")]).body() : broken
        let response = await upload(body, to: server.url, options ?? UploadOptions()).response
        #expect(response.transportError?.bodyError is Broken, "\(response.result)")
        #expect(server.requests.allSatisfy { $0.error != nil })
    }

    @Test(
        "of a file that shrinks or grows while it is sent fails, plain, slow, compressed and resumable, and never arrives whole",
        arguments: [1 << 22, 12 << 20],
        [UploadOptions(), UploadOptions(bytesPerSecond: 1 << 28), UploadOptions(compression: .gzip), nil])
    func changed(size: Int, options: UploadOptions?) async throws {
        let file = try TemporaryFile(Data.noise(8 << 20))
        let whole = Shared(0)
        let server = try changing(file, to: size, whole)
        let channel = Channel.test(server.url)
        let manager = channel.manager
        let upload: Upload<Void> =
            if let options { manager.upload(.post("a"), from: .file(file.url), options: options) } else {
                manager.upload(.post("a"), from: .file(file.url), resumable: plan(.tus))
            }
        let response = await upload.response
        #expect(response.error?.label == "transport.bodyUnreadable", "\(response.result)")
        await channel.close()
        #expect(whole.current == 0)
    }

    @Test("of a missing file, or with a bad name, makes no request; the result handler is told the caller's error")
    func beforehand() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let handled = Shared("")
        let handler = ResultHandler { response in handled.change { $0 = response.error?.label ?? "" } }
        let missing = Body.file(URL(fileURLWithPath: "/tmp/\(UUID().uuidString)"))
        for options in [UploadOptions(), UploadOptions(compression: .gzip)] {
            let error = await upload(missing, to: server.url, options) { $0.resultHandler = handler }.response.error
            #expect(error != nil && handled.current == error?.label)
        }
        let response = await upload(missing, to: server.url, plan(.tus)) { $0.resultHandler = handler }.response
        #expect(response.error?.label == "transport.bodyUnreadable" && handled.current == "transport.bodyUnreadable")
        let badName = plan(.tus) { $0.metadata = ["bad name": "x"] }
        let second = await upload(.bytes(Self.data), to: server.url, badName) { $0.resultHandler = handler }.response
        #expect(second.error?.label == "request.malformedHeader" && handled.current == "request.malformedHeader")
        #expect(server.requests.isEmpty)
    }

    @Test("is not faster than its limit, and the idle clock does not end it")
    func rate() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let started = ContinuousClock.now
        // A byte each second, which is longer than the idle timeout.
        let response = await server.manager.upload(
            .post("a", modifiers: [Timeout(idle: .milliseconds(800))]), from: .bytes(Data("123".utf8)),
            options: UploadOptions(bytesPerSecond: 1)
        ).response
        let took = ContinuousClock.now - started
        #expect(response.error == nil, "\(response.result)")
        #expect(took >= .seconds(3), "\(took)")
        #expect(server.requests.first?.headers["Content-Length"] == "3")
    }

    @Test("of a large file at a limited rate takes the expected time", arguments: [true, false])
    func rateOfFile(isCompressed: Bool) async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let file = try TemporaryFile(Self.data)
        let options = UploadOptions(compression: isCompressed ? .gzip : nil, bytesPerSecond: 600_000)
        let started = ContinuousClock.now
        try await upload(.file(file.url), to: server.url, options).value
        let took = ContinuousClock.now - started
        #expect(took >= .milliseconds(500) && took < .seconds(20), "\(took)")
    }

    @Test("ends when it, its progress or the waiting task is cancelled", arguments: 0..<3)
    func cancelled(by way: Int) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in [.open(gate), .stall] }
        let upload = upload(.bytes(Self.data), to: server.url)
        let waiting = Task { await upload.response }
        try await gate.waitUntilOpen()
        switch way {
        case 0: upload.cancel()
        case 1: upload.foundationProgress.cancel()
        default: waiting.cancel()
        }
        #expect(await waiting.value.error?.isCancelled == true)
        for await _ in upload.progress {}
        upload.cancel()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("the last progress of a reader and of Foundation's object is the last one, although several threads report")
    func lastProgress() async {
        for _ in 0..<2_000 {
            let (meter, mirror) = (TransferMeter(), Progress(totalUnitCount: -1))
            let updates = meter.updates
            meter.mirror(in: mirror)
            DispatchQueue.concurrentPerform(iterations: 8) { _ in meter.change { $0.completed += 1 } }
            meter.end()
            let last = await updates.reduce(-1) { $1.completed }
            #expect(last == 8 && mirror.completedUnitCount == 8)
        }
    }

    @Test("that is cancelled while its source waits releases the source")
    func cancelledSource() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let ended = try Gate()
        let channel = Channel.test(server.url)
        let (source, continuation) = AsyncStream<Data>.makeStream()
        continuation.onTermination = { _ in ended.open() }
        continuation.yield(Data(count: 10))
        let upload = channel.manager.upload(.post("a"), from: .once(source))
        for await progress in upload.progress where progress.completed == 10 { break }
        upload.cancel()
        #expect(await upload.response.error?.isCancelled == true)
        await channel.close()
        try await ended.waitUntilOpen()
    }
}
