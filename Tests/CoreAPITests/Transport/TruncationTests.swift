import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("A response that ends early, or is not HTTP, is a failure", .closing)
struct TruncationTests {
    let requests = Requests()

    @Test(
        "Fewer bytes than announced, or no last chunk: the received part is kept",
        arguments: [(.truncated(declared: 100, sent: Data("abc".utf8)), 100), (.chunkedWithoutEnd(["a", "bc"]), nil)]
            as [(ServerReply, Int64?)])
    func early(reply: ServerReply, expected: Int64?) async throws {
        let server = try LoopbackServer.start { _ in reply }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError == .truncated(received: 3, expected: expected))
        #expect(response.text == "abc" && response.status == 200 && response.metrics?.bytesReceived == 3)
    }

    @Test(
        "A status line with HTTP/2 does not make an HTTP/1.1 response a stream, whose cut would go unnoticed",
        arguments: [true, false],
        ["HTTP/2 200 OK", "HTTP/2.0 200 OK", "HTTP/1.1 103 Hints\r\n\r\nHTTP/2 200 OK"])
    func claimed(isSecure: Bool, line: String) async throws {
        let tls = isSecure ? try ServerTLS(protocols: [.http1]) : nil
        let server = try LoopbackServer.start(tls: tls) { _ in
            [.send(Data("\(line)\r\nContent-Type: text/plain\r\n\r\nabc".utf8)), .truncate]
        }
        let response = try await Requests(to: server).send(.get, server.url)
        #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
    }

    @Test("Another protocol is an error, at once")
    func switching() async throws {
        let server = try LoopbackServer.start { _ in
            [.send(Data("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nabc".utf8)), .stall]
        }
        let response = try await requests.send(.get, server.url, timeout: Timeout(.seconds(10)))
        #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
        #expect(requests.transport.activeExchanges == 0)
    }

    @Test(
        "Fields about the body's end in a form that libcurl ignores",
        arguments: [
            "Transfer-Encoding: identity\r\nContent-Length: 50", "Content-Length : 50", "Content-Length\t: 50",
            "Content-Length:\r\n 50", "Transfer-Encoding:\r\n chunked", "Transfer-Encoding : chunked\r\nContent-Length: 3",
            "Content-Encoding:\r\n gzip", "Content-Encoding : gzip",
        ])
    func misreadFraming(_ fields: String) async throws {
        let server = try LoopbackServer.start { _ in
            [.send(Data("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n5\r\nhello".utf8)), .closeConnection]
        }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
    }

    @Test(
        "a length beside a Transfer-Encoding that codes nothing is the body's",
        arguments: [
            "Transfer-Encoding: identity", "transfer-encoding: IDENTITY", "Transfer-Encoding: none", "Transfer-Encoding: ",
            "Transfer-Encoding: identity, identity", "Transfer-Encoding: identity\r\nTransfer-Encoding: identity",
        ], [0, 5, 200_000])
    func identity(_ fields: String, _ count: Int) async throws {
        let never = try Gate()
        let body = Data(repeating: 0x61, count: count)
        for field in ["\(fields)\r\nContent-Length: \(count)", "Content-Length: \(count)\r\n\(fields)"] {
            // The connection stays open: the kit does not wait for its end.
            let server = try LoopbackServer.start { request in
                request.connection == 0
                    ? [.send(Data("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n".utf8) + body), .waitFor(never)] : .ok("next")
            }
            let response = try await requests.send(.get, server.url)
            // 8.14.1 rejects an unknown coding that was not requested; `none` counts as one, although it encodes nothing.
            if fields.hasSuffix("none"), CurlLibrary.linked.version >= CurlVersion(8, 14, 1) {
                #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
                continue
            }
            #expect(response.transportError == nil && response.data == body, "\(response.result)")
            #expect(try await requests.send(.get, server.url).text == "next")
        }
        never.open()
    }

    @Test("chunked after identity is accepted, and chunked before it is rejected beside a length")
    func chunksAndIdentity() async throws {
        // 8.14.1 rejects any coding after `chunked` (RFC 9112 §6.1).
        let takesIdentityLast = CurlLibrary.linked.version < CurlVersion(8, 14, 1)
        let cases = [
            ("identity, chunked", true, true), ("chunked, identity", true, false),
            ("chunked\r\nTransfer-Encoding: identity", true, false),
            ("chunked, identity", false, takesIdentityLast), ("identity\r\nTransfer-Encoding: chunked", true, true),
        ]
        for (value, hasLength, isTaken) in cases {
            let length = hasLength ? "Content-Length: 3\r\n" : ""
            let server = try LoopbackServer.start { _ in
                [.send(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(value)\r\n\(length)\r\n5\r\nhello\r\n0\r\n\r\n".utf8))]
            }
            let response = try await requests.send(.get, server.url)
            #expect(response.transportError?.label == (isTaken ? nil : "malformedResponse"), "\(value): \(response.result)")
            guard isTaken else { continue }
            #expect(response.text == "hello")
            // Another reader would read to the connection's end.
            guard value.hasSuffix("identity") else { continue }
            #expect(try await requests.send(.get, server.url).text == "hello")
            #expect(server.connectionsAccepted == 2)
        }
    }

    @Test(
        "an unknown transfer coding is rejected at once, by name",
        arguments: ["gzip", "deflate", "br", "8bit", "\"chunked\"", "utf-8"])
    func unknownTransferCoding(_ coding: String) async throws {
        let never = try Gate()
        let server = try LoopbackServer.start { _ in
            [
                .send(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\nContent-Length: 5\r\n\r\nhello".utf8)),
                .waitFor(never),
            ]
        }
        let response = try await requests.send(.get, server.url, timeout: Timeout(.seconds(5)))
        #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
        #expect("\(response.result)".contains("transfer coding"), "\(response.result)")
        never.open()
    }

    @Test("The same length twice counts as one length")
    func sameLengthTwice() async throws {
        let server = try LoopbackServer.start { _ in
            [.sendHead(status: 200, headers: ["Content-Length": "3", "Content-Length": "3"]), .sendBody(Data("abc".utf8))]
        }
        #expect(try await requests.send(.get, server.url).text == "abc")
    }

    @Test(
        "Bytes that are not HTTP",
        arguments: [
            "garbage\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "<html>hello</html>", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 99 OK\r\n\r\n",
            "\u{0}\u{1}\u{2}\u{3}", "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{46}",
            // A chunk's size that is no number.
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
        ])
    func garbage(_ text: String) async throws {
        let server = try LoopbackServer.start { _ in .garbage(Data(text.utf8)) }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
        let reason = response.transportError?.errorDescription ?? ""
        #expect(text.hasPrefix("HTTP/") || reason.contains("expected a status line"), "\(reason)")
    }

    @Test("A head that breaks off")
    func halfHead() async throws {
        let server = try LoopbackServer.start { _ in .garbage(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)) }
        let response = try await requests.send(.post, server.url)
        #expect(response.error != nil && response.head == nil)
    }

    @Test("Interim heads are skipped and trailers change nothing")
    func interimAndTrailers() async throws {
        let interim = Data("HTTP/1.1 103 Early Hints\r\nX-A: early\r\n\r\n".utf8)
        let server = try LoopbackServer.start { _ in
            [
                .send(interim), .sendHead(status: 201, headers: ["Transfer-Encoding": "chunked", "X-A": "head"]),
                .sendChunk(Data("abc".utf8)), .endChunks(trailers: ["X-A": "trailer", "Content-Length": "7"]),
            ]
        }
        let response = try await requests.send(.get, server.url)
        #expect(response.status == 201 && response.text == "abc")
        #expect(try response.head?.headers[#require(HTTPField.Name("X-A"))] == "head")
    }

    /// An attacker who can cut the connection cannot forge the alert (RFC 9112 §9.8).
    @Test(
        "A body that ends with a TLS connection is complete after close_notify alone", arguments: [true, false], [true, false])
    func closeDelimitedOverTLS(isCut: Bool, isPinned: Bool) async throws {
        let tls = try ServerTLS(protocols: [.http1])
        let server = try LoopbackServer.start(tls: tls) { request in
            let end: ServerReply.Step = isCut ? .truncate : .closeConnection
            guard request.target != "/chunked" else {
                let head: ServerReply.Step = .sendHead(status: 200, headers: ["Transfer-Encoding": "chunked"])
                return [head, .sendChunk(Data("abc".utf8)), .endChunks(), end]
            }
            return [.sendHead(status: 200), .sendBody(Data("abc".utf8)), end]
        }
        var requests = Requests(trusting: tls.authorityPEM)
        if isPinned { requests.trust.pins = ["localhost": [try Certificate(pem: tls.certificate.pem).pin]] }
        for _ in 0..<3 {
            let response = try await requests.send(.get, server.url)
            #expect(response.transportError?.label == (isCut ? "truncated" : nil), "\(response.result)")
            #expect(response.text == "abc")
            #expect(try await requests.send(.get, server.url + "/chunked").text == "abc")
        }
    }

    @Test("An unrequested transfer coding is rejected, whole or cut", arguments: ["gzip, chunked", "deflate", "br, chunked"])
    func transferCoding(_ codings: String) async throws {
        let server = try LoopbackServer.start { _ in
            let head: ServerReply.Step = .sendHead(status: 200, headers: ["Transfer-Encoding": codings])
            return codings.hasSuffix("chunked") ? [head, .sendChunk(Data("abc".utf8)), .endChunks()] : [head, .closeConnection]
        }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
    }

    /// libcurl treats a broken HTTP/2 connection as closed in the orderly way, and a stream that was reset with NO_ERROR as
    /// ended.
    @Test(
        "An HTTP/2 stream without an end is truncated, with a length and without", arguments: [true, false],
        [[ServerReply.Step.resetStream(code: 0)], [.goAway(rejecting: true)], [.goAway(), .closeConnection], [.closeConnection]])
    func cutStream(hasLength: Bool, cut: [ServerReply.Step]) async throws {
        let response = try await streamed(cut, hasLength: hasLength)
        #expect(response.transportError?.label == "truncated", "\(response.result)")
        #expect(response.text == "part")
    }

    @Test(
        "An HTTP/2 stream that its server ends is complete, whatever follows",
        arguments: [
            [], [ServerReply.Step.goAway()], [.complete, .resetStream(code: 0)], [.complete, .goAway(rejecting: true)],
            [.complete, .closeConnection],
        ])
    func endedStream(end: [ServerReply.Step]) async throws {
        for method in [HTTPRequest.Method.get, .post] {
            let response = try await streamed(end, hasLength: false, method)
            #expect(response.error == nil, "\(response.result)")
            #expect(response.text == "part")
        }
    }

    private func streamed(
        _ end: [ServerReply.Step], hasLength: Bool, _ method: HTTPRequest.Method = .get
    ) async throws -> Response<Data> {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in
            let headers: HeaderLines = hasLength ? ["Content-Length": "9"] : [:]
            return ServerReply([.sendHead(status: 200, headers: headers), .sendBody(Data("part".utf8))] + end)
        }
        return try await Requests(to: server).send(method, server.url)
    }
}
