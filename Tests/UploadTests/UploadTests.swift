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

    // MARK: - Sources

    enum Source: CaseIterable {
        case bytes, file, sequence, sequenceOfLength, once

        /// - Parameter file: has the bytes.
        func body(_ file: TemporaryFile) -> Body {
            let data = UploadTests.data
            return switch self {
            case .bytes: .bytes(data)
            case .file: .file(file.url)
            case .sequence: .stream(Body.Stream { data.pieces(10_000) })
            case .sequenceOfLength: .stream(Body.Stream(length: 300_000) { data.pieces(10_000) })
            case .once: .once(data.pieces(10_000), length: 300_000)
            }
        }
    }

    @Test("arrives complete from any source, with its length if that is known", arguments: Source.allCases)
    func arrives(from source: Source) async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let file = try TemporaryFile(Self.data)
        let body = source.body(file)
        let channel = Channel.test(server.url)
        let upload = channel.manager.upload(.post("items", query: ["kind": "photo"]), from: body, as: Receipt.self)
        var last = TransferProgress()
        for await progress in upload.progress { last = progress }
        #expect(try await upload.value.bytes == 300_000)
        #expect(last == TransferProgress(completed: 300_000, total: source == .sequence ? nil : 300_000))
        let request = try #require(server.requests.first)
        #expect(request.body == Self.data)
        #expect(request.target == "/items?kind=photo")
        #expect(request.headers["Content-Type"] == "application/octet-stream")
        #expect((request.headers["Content-Length"] == nil) == (source == .sequence))
        #expect((request.headers["Transfer-Encoding"] == "chunked") == (source == .sequence))
    }

    @Test("shows its progress over URLSession, too", arguments: [Source.bytes, .file, .sequence])
    func overURLSession(from source: Source) async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let file = try TemporaryFile(Self.data)
        let data = Self.data
        let channel = Channel.test(server.url) { $0.transport = URLSessionTransport() }
        let body: Body =
            switch source {
            case .file: .file(file.url)
            case .sequence: .stream(Body.Stream { data.pieces(10_000) })
            default: .bytes(data)
            }
        let upload = channel.manager.upload(.post("items"), from: body, as: Receipt.self)
        var last = TransferProgress()
        for await progress in upload.progress { last = progress }
        #expect(try await upload.value.bytes == 300_000)
        #expect(last.completed == 300_000)
    }

    @Test("sends the endpoint's own body, a form with a file, and counts it")
    func form() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let file = try TemporaryFile(Self.data)
        let channel = Channel.test(server.url)
        let form = MultipartForm([.text("title", "Bag"), .file("photo", file.url)])
        let upload = channel.manager.upload(.post("items", encoding: .multipart(form)), as: Receipt.self)
        let progress = upload.foundationProgress
        let bytes = try await upload.value.bytes
        #expect(bytes > 300_000)
        #expect(progress.completedUnitCount == Int64(bytes))
        #expect(progress.totalUnitCount == Int64(bytes))
        #expect(progress.fractionCompleted == 1)
        #expect(server.requests.first?.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true)
    }

    @Test("decodes the value of an endpoint that knows its response")
    func typed() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let channel = Channel.test(server.url)
        let endpoint = PUT<Void, Receipt>("items/1")
        #expect(try await channel.manager.upload(endpoint, from: .bytes(Data(count: 7))).value.bytes == 7)
    }

    /// Answers with the kind of the request's body.
    private struct BodyKind: Middleware {
        let seen: Shared<[Request]>

        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            seen.change { $0.append(attempt.request) }
            return await next(attempt)
        }
    }

    @Test("leaves bytes in memory, so that they can be signed, and may take a day if no level has a timeout")
    func untouched() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let seen = Shared<[Request]>([])
        let channel = Channel.test(server.url) { $0.attemptMiddleware = [BodyKind(seen: seen)] }
        _ = try await channel.manager.upload(.post("a"), from: .bytes(Self.data)).value
        _ = try await channel.manager.upload(
            .post("a", modifiers: [Timeout(.seconds(7))]), from: .bytes(Self.data),
            options: UploadOptions(compression: .gzip)
        ).value
        for request in seen.current {
            guard case .bytes = request.body else {
                Issue.record("\(request.body)")
                continue
            }
        }
        #expect(seen.current.map(\.timeout.total) == [.seconds(86_400), .seconds(7)])
    }

    @Test("has a fraction only of a known length")
    func fraction() {
        #expect(TransferProgress(completed: 1, total: 4).fraction == 0.25)
        #expect(TransferProgress(completed: 1).fraction == nil)
        #expect(TransferProgress(completed: 0, total: 0).fraction == 1)
        #expect(TransferProgress(completed: 9, total: 4).fraction == 1)
        #expect(TransferProgress(completed: -9, total: 4).fraction == 0)
    }

    // MARK: - Never twice

    @Test("of a sequence that can be read only once is not repeated after a lost connection", arguments: [true, false])
    func once(isOnce: Bool) async throws {
        let server = try LoopbackServer.test { _ in .resetBeforeHead }
        let channel = Channel.test(server.url) { $0.interceptors = [RetryPolicy(attempts: 3, base: .zero)] }
        let data = Self.data
        let body: Body = isOnce ? .once(data.pieces(10_000)) : .stream(Body.Stream { data.pieces(10_000) })
        let response = await channel.manager.upload(.put("a"), from: body).response
        #expect(response.error?.label == "transport.connectionLost", "\(response.result)")
        #expect(response.attempts.count == (isOnce ? 1 : 3))
        #expect(server.requests.filter { $0.bodyLength > 0 }.count == (isOnce ? 1 : 3))
    }

    @Test("of a sequence that can be read only once is not repeated with a fresh token", arguments: [true, false])
    func onceWithoutToken(isOnce: Bool) async throws {
        let server = try LoopbackServer.test { request in
            request.headers["authorization"] == "Bearer new" ? .ok() : .status(401)
        }
        let channel = Channel.test(server.url) {
            $0.attemptMiddleware.append(BearerAuthentication(token: "old") { _ in "new" })
        }
        let data = Self.data
        let body: Body = isOnce ? .once(data.pieces(10_000)) : .stream(Body.Stream { data.pieces(10_000) })
        let response = await channel.manager.upload(.put("a"), from: body).response
        #expect(response.head?.status.code == (isOnce ? 401 : 200))
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer old"] + (isOnce ? [] : ["Bearer new"]))
    }

    @Test("of a sequence that can be read only once does not follow a redirect that repeats it")
    func redirect() async throws {
        let server = try LoopbackServer.test { _ in .redirect(to: "/b", status: 307) }
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(.post("a"), from: .once(Self.data.pieces(10_000))).response
        #expect(response.error?.label == "transport.redirectRejected", "\(response.result)")
        #expect(server.requests.count == 1)
    }

    @Test("counts from 0 again after a redirect")
    func redirectCounts() async throws {
        let server = try LoopbackServer.test { $0.path == "/a" ? .redirect(to: "/b", status: 307) : .ok() }
        let channel = Channel.test(server.url)
        let upload = channel.manager.upload(.post("a"), from: .bytes(Self.data))
        try await upload.value
        var last = TransferProgress()
        for await progress in upload.progress { last = progress }
        #expect(last.completed == 300_000)
        #expect(server.requests.map(\.bodyLength) == [300_000, 300_000])
    }

    @Test("of the same once-sequence fails a second time, and sends nothing")
    func readTwice() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let channel = Channel.test(server.url)
        let body = Body.once(Self.data.pieces(10_000))
        try await channel.manager.upload(.post("a"), from: body).value
        let second = await channel.manager.upload(.post("a"), from: body).response
        guard case .transport(.bodyUnreadable(let error), _) = second.error else {
            Issue.record("\(second.result)")
            return
        }
        #expect(error as? BodyError == .readTwice)
        #expect(server.requests.filter { $0.defect == nil }.count == 1)
    }

    // MARK: - Rejections

    /// Answers after some bytes of the body and reads no further.
    private func rejecting(_ status: Int, after count: Int, _ received: Shared<Int>) throws -> RawServer {
        try RawServer { connection in
            guard connection.head() != nil else { return }
            while received.current < count {
                let piece = connection.read(upTo: 65_536)
                guard !piece.isEmpty else { return }
                received.change { $0 += piece.count }
            }
            connection.answer(status, [:], "no")
            while connection.hasByte(within: 2_000), case let piece = connection.read(upTo: 65_536), !piece.isEmpty {
                received.change { $0 += piece.count }
            }
        }
    }

    @Test("stops at an early response, and delivers it", arguments: [413, 401], [true, false])
    func early(status: Int, isFile: Bool) async throws {
        let received = Shared(0)
        let server = try rejecting(status, after: 100_000, received)
        let size = 200 << 20
        let file = try TemporaryFile(Data())
        #expect(truncate(file.url.path, off_t(size)) == 0)
        let piece = Data(count: 1 << 16)
        let body: Body = isFile ? .file(file.url) : .stream(Body.Stream { AsyncStream { piece } })
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(.post("a"), from: body).response
        #expect(response.head?.status.code == status)
        #expect(response.data == Data("no".utf8))
        #expect(received.current < size)
    }

    @Test("arrives over HTTP/2, and stops at an early response there, too")
    func multiplexed() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(), answersEarly: true) { request in
            request.path == "/rejected" ? .status(413, body: Data("no".utf8)) : .ok()
        }
        let authority = try #require(server.tls).authorityPEM
        let channel = Channel.test(server.url) {
            $0.environment.serverTrustManager = ServerTrustManager(authorities: .pem(authority))
        }
        let accepted = await channel.manager.upload(.post("a"), from: .bytes(Self.data)).response
        #expect(accepted.error == nil && accepted.metrics?.httpVersion == "HTTP/2")
        let rejected = await channel.manager.upload(.post("rejected"), from: .bytes(Data(count: 20 << 20))).response
        #expect(rejected.head?.status.code == 413 && rejected.data == Data("no".utf8))
        #expect(rejected.metrics?.httpVersion == "HTTP/2")
    }

    @Test("asks first on request: no byte of a rejected body is sent")
    func rejectedBeforehand() async throws {
        let received = Shared(0)
        let expectation = Shared("")
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
        let channel = Channel.test(server.url)
        let options = UploadOptions(expectsContinue: true)
        let started = ContinuousClock.now
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), options: options).value
        #expect(!early.current)
        if !answers { #expect(ContinuousClock.now - started > .milliseconds(800)) }
    }

    @Test("of a form sends each part before the next one is made")
    func partByPart() async throws {
        let arrived = try Gate()
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            var text = ""
            while !text.contains("first value"), case let piece = connection.read(upTo: 65_536), !piece.isEmpty {
                text += String(decoding: piece, as: UTF8.self)
            }
            if !text.contains("second value") { arrived.open() }
            while !text.contains("--\r\n"), case let piece = connection.read(upTo: 65_536), !piece.isEmpty {
                text += String(decoding: piece, as: UTF8.self)
            }
            connection.answer(text.contains("second value") ? 200 : 400)
        }
        let second = Body.stream(
            Body.Stream {
                let isFirst = Shared(true)
                return AsyncThrowingStream<Data, any Error> {
                    guard isFirst.current else { return nil }
                    isFirst.change { $0 = false }
                    try await arrived.waitUntilOpen()
                    return Data("second value".utf8)
                }
            })
        let form = MultipartForm([.text("a", "first value"), MultipartForm.Part("b", body: second)])
        let channel = Channel.test(server.url)
        try await channel.manager.upload(.post("a"), from: form.body()).value
    }

    /// Versions of libcurl differ: some send the body at once, others wait for a second at most.
    @Test("asks first on request, over HTTP/2, too: the body arrives whole although the server sends no 100")
    func continuedMultiplexed() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2]), Self.receipt)
        let authority = try #require(server.tls).authorityPEM
        let channel = Channel.test(server.url) {
            $0.environment.serverTrustManager = ServerTrustManager(authorities: .pem(authority))
        }
        let options = UploadOptions(expectsContinue: true)
        let data = Self.data
        for body in [Body.bytes(data), .stream(Body.Stream { data.pieces(10_000) })] {
            let started = ContinuousClock.now
            let response = await channel.manager.upload(.post("a"), from: body, as: Receipt.self, options: options).response
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
        let expectations = Shared<[String?]>([])
        let received = Shared(0)
        let server = try RawServer { connection in
            while let head = connection.head() {
                expectations.change { $0.append(head.fields["expect"]) }
                guard head.fields["expect"] == nil else {
                    connection.answer(417, ["Content-Type": "text/plain", "Connection": "close"], "not here")
                    return
                }
                var body = Data()
                while body.count < 300_000, case let piece = connection.read(upTo: 65_536), !piece.isEmpty { body += piece }
                received.change { $0 = body.count }
                connection.answer(200, ["Connection": "close"])
                return
            }
        }
        let file = try TemporaryFile(Self.data)
        let channel = Channel.test(server.url)
        let options = UploadOptions(expectsContinue: true)
        let upload = channel.manager.upload(TypedEndpoint(method, "a"), from: source.body(file), options: options)
        let response = await upload.response
        await channel.close()
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
        let isRejected = Mutex(attempts == 3)
        let server = try LoopbackServer.test { request in
            if request.headers["expect"] != nil { return .status(417) }
            let isFirst = isRejected.withLock { isRejected in
                defer { isRejected = false }
                return isRejected
            }
            return isFirst ? .status(503) : Self.receipt(request)
        }
        let channel = Channel.test(server.url) {
            $0.limits.attempts = attempts
            $0.interceptors = [RetryPolicy(base: .milliseconds(1))]
        }
        let endpoint = TypedEndpoint(.put, "a", headers: ["Expect": "100-Continue"])
        let response = await channel.manager.upload(endpoint, from: .bytes(Self.data), as: Receipt.self).response
        await channel.close()
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
        let channel = Channel.test(server.url) {
            $0.limits.attempts = 5
            $0.interceptors = [Expecting()]
        }
        let response = await channel.manager.upload(TypedEndpoint(.put, "a"), from: .bytes(Self.data)).response
        await channel.close()
        #expect(response.attempts.map(\.status) == [417, status], "\(response)")
        #expect(server.requests.map(\.headers["Expect"]) == ["100-continue", nil])
    }

    @Test(
        "over HTTP/2, a request with a 417 in the middle of the body is sent again once, if its body can be read again",
        arguments: [Source.bytes, .once])
    func expectationFailedMultiplexed(from source: Source) async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2]), answersEarly: true) { request in
            .status(request.headers["Expect"] == nil ? 413 : 417)
        }
        let authority = try #require(server.tls).authorityPEM
        let channel = Channel.test(server.url) {
            $0.environment.serverTrustManager = ServerTrustManager(authorities: .pem(authority))
        }
        let file = try TemporaryFile(Self.data)
        let options = UploadOptions(expectsContinue: true)
        let response = await channel.manager.upload(.post("a"), from: source.body(file), options: options).response
        await channel.close()
        let statuses = source == .once ? [417] : [417, 413]
        #expect(response.error?.label == "verification.unacceptableStatus.\(statuses.last ?? 0)", "\(response)")
        #expect(response.metrics?.httpVersion == "HTTP/2")
        #expect(response.attempts.map(\.status) == statuses && server.requests.count == statuses.count)
    }

    /// Not a 417 to an expectation: libcurl drops its body.
    @Test(
        "an early response that breaks off is an error", arguments: [(413, true), (413, false), (417, false)], ["", "not all"])
    func cutEarlyAnswer(_ answer: (status: Int, expectsContinue: Bool), body part: String) async throws {
        let (status, expectsContinue) = answer
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            if expectsContinue { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            _ = connection.read(upTo: 10)
            connection.send("HTTP/1.1 \(status) X\r\nContent-Length: 100\r\n\r\n\(part)")
            connection.cut(resetting: false)
        }
        let channel = Channel.test(server.url)
        // More than the buffers between both sides hold.
        let body = Body.stream(Body.Stream(length: 30_000_000) { Data(count: 30_000_000).pieces(100_000) })
        let options = UploadOptions(expectsContinue: expectsContinue)
        let response = await channel.manager.upload(.put("a"), from: body, options: options).response
        await channel.close()
        #expect(["transport.truncated", "transport.connectionLost"].contains(response.error?.label), "\(response.result)")
    }

    // MARK: - Faulty sources

    private struct Broken: Error {}

    /// Gives 10 bytes and throws.
    private func broken(_ length: Int64?) -> Body {
        .stream(
            Body.Stream(length: length) {
                AsyncThrowingStream<Data, any Error> { continuation in
                    continuation.yield(Data(count: 10))
                    continuation.finish(throwing: Broken())
                }
            })
    }

    @Test(
        "fails with the error of a stream that throws, plain, compressed, paced and in a form", arguments: [nil, 20] as [Int64?],
        [UploadOptions(), UploadOptions(compression: .gzip), UploadOptions(bytesPerSecond: 1 << 20), nil])
    func throwing(length: Int64?, options: UploadOptions?) async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let channel = Channel.test(server.url)
        let parts = [MultipartForm.Part("a", body: broken(length)), .text("b", "c")]
        let body = options == nil ? try MultipartForm(parts).body() : broken(length)
        let response = await channel.manager.upload(.post("a"), from: body, options: options ?? UploadOptions()).response
        guard case .transport(.bodyUnreadable(let error), _) = response.error else {
            Issue.record("\(response.result)")
            return
        }
        #expect(error is Broken)
        #expect(server.requests.allSatisfy { $0.defect != nil })
    }

    /// Reads the head and a part of the body, changes the file, and reads the rest.
    private func changing(_ file: TemporaryFile, to size: Int, _ wholeRequests: Shared<Int>) throws -> RawServer {
        try RawServer { connection in
            guard let head = connection.head() else { return }
            var left = head.fields["content-length"].flatMap { Int($0) } ?? .max
            left -= connection.read(upTo: 1_000).count
            truncate(file.url.path, off_t(size))
            while left > 0, case let piece = connection.read(upTo: 65_536), !piece.isEmpty { left -= piece.count }
            if left == 0 { wholeRequests.change { $0 += 1 } }
            connection.answer(200)
        }
    }

    @Test(
        "of a file that shrinks or grows while it is sent fails, plain, slow and compressed", arguments: [1 << 22, 12 << 20],
        [UploadOptions(), UploadOptions(bytesPerSecond: 1 << 28), UploadOptions(compression: .gzip)])
    func changed(size: Int, options: UploadOptions) async throws {
        let file = try TemporaryFile(Data.noise(8 << 20))
        let whole = Shared(0)
        let server = try changing(file, to: size, whole)
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(.post("a"), from: .file(file.url), options: options).response
        #expect(response.error?.label == "transport.bodyUnreadable", "\(response.result)")
        await channel.close()
        #expect(whole.current == 0)
    }

    @Test("of a file that is not there fails before a request", arguments: [UploadOptions(), UploadOptions(compression: .gzip)])
    func missing(options: UploadOptions) async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let channel = Channel.test(server.url)
        let missing = URL(fileURLWithPath: "/tmp/\(UUID().uuidString)")
        let response = await channel.manager.upload(.post("a"), from: .file(missing), options: options).response
        #expect(response.error != nil)
        #expect(server.requests.isEmpty)
    }

    @Test("that makes no request tells the result handler the error that the caller gets")
    func beforehand() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let handled = Shared("")
        let channel = Channel.test(server.url) {
            $0.resultHandler = ResultHandler { response in handled.change { $0 = response.error?.label ?? "" } }
        }
        let missing = Body.file(URL(fileURLWithPath: "/tmp/\(UUID().uuidString)"))
        let response = await channel.manager.upload(.post("a"), from: missing, resumable: ResumableUpload(.tus)).response
        #expect(response.error?.label == "transport.bodyUnreadable" && handled.current == "transport.bodyUnreadable")
        var plan = ResumableUpload(.tus)
        plan.metadata = ["bad name": "x"]
        let second = await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan).response
        #expect(second.error?.label == "request.malformedHeader" && handled.current == "request.malformedHeader")
        #expect(server.requests.isEmpty)
    }

    // MARK: - The rate

    @Test("is not faster than its limit, and the idle clock does not end it")
    func rate() async throws {
        let server = try LoopbackServer.test(Self.receipt)
        let channel = Channel.test(server.url)
        let started = ContinuousClock.now
        // A byte each second, which is longer than the idle timeout.
        let response = await channel.manager.upload(
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
        let channel = Channel.test(server.url)
        let options = UploadOptions(compression: isCompressed ? .gzip : nil, bytesPerSecond: 600_000)
        let started = ContinuousClock.now
        try await channel.manager.upload(.post("a"), from: .file(file.url), options: options).value
        let took = ContinuousClock.now - started
        #expect(took >= .milliseconds(500), "\(took)")
        #expect(took < .seconds(20), "\(took)")
    }

    // MARK: - Ends

    @Test("ends when it, its progress or the waiting task is cancelled", arguments: 0..<3)
    func cancelled(by way: Int) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in [.open(gate), .stall] }
        let channel = Channel.test(server.url)
        let upload = channel.manager.upload(.post("a"), from: .bytes(Self.data))
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
        let ended = Shared(false)
        let channel = Channel.test(server.url)
        let (source, continuation) = AsyncStream<Data>.makeStream()
        continuation.onTermination = { _ in ended.change { $0 = true } }
        continuation.yield(Data(count: 10))
        let upload = channel.manager.upload(.post("a"), from: .once(source))
        for await progress in upload.progress where progress.completed == 10 { break }
        upload.cancel()
        #expect(await upload.response.error?.isCancelled == true)
        await channel.close()
        for _ in 0..<200 where !ended.current { try await Task.sleep(for: .milliseconds(10)) }
        #expect(ended.current)
    }
}
