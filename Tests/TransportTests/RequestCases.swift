import TestSupport

extension Case {
    static let methods: [Case] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "PURGE"].map { name in
        Case("\(name) arrives under its name, and its response's body comes back", Answer(200, body: "done")) {
            stage async throws in
            let response = await stage.send(try #require(HTTPRequest.Method(name)))
            #expect(try response.value == Data("done".utf8))
            #expect(stage.requests.map(\.method) == [name] && stage.requests.first?.body.isEmpty == true)
        }
    }

    static let bodies: [Case] =
        [
            body("bytes", .bytes(Data("hello".utf8)), arrivesAs: Data("hello".utf8), length: 5),
            body("no bytes", .bytes(Data()), arrivesAs: Data(), length: 0),
            body("a megabyte", .bytes(megabyte), arrivesAs: megabyte, length: megabyte.count),
            body("a file", try file(megabyte), arrivesAs: megabyte, length: megabyte.count),
            body("an empty file", try file(Data()), arrivesAs: Data(), length: 0),
            body("a stream with a length", reading(length: 12), arrivesAs: Data("one two six ".utf8), length: 12),
            body("a stream without a length", reading(length: nil), arrivesAs: Data("one two six ".utf8)),
            body("a sequence with a length", sequence(length: 12), arrivesAs: Data("one two six ".utf8), length: 12),
            body("a sequence without a length", sequence(length: nil), arrivesAs: Data("one two six ".utf8)),
            body("a stream of a megabyte", .stream(Body.Stream { megabyte.pieces(65_536) }), arrivesAs: megabyte),
        ] + [
            Case("a stream of another length than announced fails the request", needs: [.checksUploads], Answer()) {
                stage async throws in
                for length: Int64 in [0, 8, 11, 13] {
                    for body in [reading(length: length), sequence(length: length)] {
                        let response = await stage.send(.post, body: body)
                        #expect(response.transportError?.label == "bodyUnreadable", "a length of \(length)")
                    }
                }
                #expect(stage.requests.isEmpty)
            },
            Case("an empty stream with a length of 0 is sent as no bytes", Answer()) { stage async throws in
                for body in [Body.Stream(length: 0) { { _ in Data() } }, Body.Stream(length: 0) { AsyncStream { $0.finish() } }] {
                    #expect(await stage.send(.post, body: .stream(body)).error == nil)
                }
                #expect(stage.requests.map(\.body) == [Data(), Data()])
            },
            Case("a missing file fails the request", needs: [.checksUploads], Answer()) { stage async throws in
                let response = await stage.send(.post, body: .file(URL(fileURLWithPath: "/nowhere/at/all")))
                #expect(response.transportError?.label == "bodyUnreadable")
                #expect(stage.requests.isEmpty)
            },
            Case("a file whose URL is not a local file's fails the request", needs: [.checksUploads], Answer()) {
                stage async throws in
                for url in ["http://x/etc/hostname", "etc/hostname", "file://elsewhere/etc/hostname"] {
                    let response = await stage.send(.post, body: .file(try #require(URL(string: url))))
                    #expect(response.transportError?.label == "bodyUnreadable")
                }
                #expect(stage.requests.isEmpty)
            },
        ]

    private static func body(
        _ what: String, _ body: @autoclosure @escaping @Sendable () throws -> Body, arrivesAs bytes: Data, length: Int? = nil
    ) -> Case {
        Case("\(what) arrives unchanged", Answer(201)) { stage async throws in
            #expect(await stage.send(.post, headers: ["Content-Type": "text/plain"], body: try body()).error == nil)
            let seen = try #require(stage.requests.first)
            #expect(seen.body == bytes)
            #expect(seen.headers["Content-Type"] == "text/plain" || bytes.isEmpty)
            if let length, stage.server != nil { #expect(seen.headers["Content-Length"].flatMap { Int($0) } ?? 0 == length) }
        }
    }

    static let megabyte = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 % 65_536 &* 31) })

    private static func reading(length: Int64?) -> Body {
        .stream(
            Body.Stream(length: length) {
                let rest = Mutex(["one ", "two ", "six "])
                return { _ in rest.withLock { $0.isEmpty ? Data() : Data($0.removeFirst().utf8) } }
            })
    }

    static func sequence(length: Int64?) -> Body { .pieces(["one ", "two ", "six "].map { Data($0.utf8) }, length: length) }

    private static func file(_ data: Data) throws -> Body {
        let url = temporaryFile("case")
        try data.write(to: url)
        return .file(url)
    }
}

extension Case {
    static let heads: [Case] = [
        Case("fields of a request arrive unchanged", Answer()) { stage async throws in
            _ = await stage.send(headers: ["X-Plain": "a value, with \"all\"; sorts=of things", "X-Unicode": "žluťoučký"])
            let seen = try #require(stage.requests.first).headers
            #expect(seen["X-Plain"] == "a value, with \"all\"; sorts=of things")
            #expect(seen["X-Unicode"] == "žluťoučký")
        },
        Case("an empty field of a request arrives empty", Answer()) { stage async throws in
            _ = await stage.send(headers: ["X-Empty": ""])
            #expect(stage.requests.first?.headers["X-Empty"] == "")
        },
        Case("a request whose expectation is rejected (417) arrives again without it") { request, _ in
            Answer(request.headers["Expect"] == nil ? 200 : 417)
        } run: { stage async throws in
            let response = await stage.send(.put, headers: ["Expect": "100-continue"], body: .bytes(megabyte))
            #expect(response.attempts.map(\.status) == [417, 200])
            #expect(stage.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
            #expect(stage.requests.last?.body == megabyte)
        },
        Case("a request without content expects nothing, and its 417 is final", Answer(417)) { stage async throws in
            for (method, body) in [(HTTPRequest.Method.put, Body.none), (.post, .bytes(Data())), (.get, .none)] {
                let response = await stage.send(method, headers: ["Expect": "100-continue"], body: body)
                #expect(response.attempts.map(\.status) == [417], "\(method)")
            }
            #expect(stage.requests.map { $0.headers["Expect"] } == [nil, nil, nil])
        },
        Case("path and query arrive with the same encoding", Answer()) { stage async throws in
            _ = await stage.send(.get, "a%2Fb/c%20d?q=1%2B1&r=%C3%BC&s=a%7Cb&t")
            #expect(stage.requests.map(\.target) == ["/a%2Fb/c%20d?q=1%2B1&r=%C3%BC&s=a%7Cb&t"])
        },
        Case(
            "two hundred fields of a response arrive",
            Answer(200, Headers(Dictionary(uniqueKeysWithValues: (0..<200).map { ("X-Field-\($0)", "value \($0)") })))
        ) { stage async throws in
            let fields = try #require(await stage.send().head).headers
            for number in 0..<200 { #expect(fields[try #require(.init("x-field-\(number)"))] == "value \(number)") }
        },
        Case("all values of duplicate fields arrive, in order", Answer(200, duplicates)) { stage async throws in
            #expect(try #require(await stage.send().head).headers[.via] == "1.1 one, 1.1 two, 1.1 three")
        },
        Case("duplicate fields stay separate", needs: [.separateFields], Answer(200, duplicates)) { stage async throws in
            #expect(try #require(await stage.send().head).headers[values: .via] == ["1.1 one", "1.1 two", "1.1 three"])
        },
        Case(
            "each Set-Cookie stays a separate field",
            Answer(200, cookies(["a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT", "b=2; Path=/", "c=\"x\""]))
        ) { stage async throws in
            #expect(
                try #require(await stage.send().head).headers[values: .setCookie]
                    == ["a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT", "b=2; Path=/", "c=\"x\""])
        },
        Case("an empty field of a response arrives, empty", Answer(200, ["X-Empty": "", "X-Full": "1"])) { stage async throws in
            let fields = try #require(await stage.send().head).headers
            #expect(fields[try #require(.init("X-Empty"))] == "")
            #expect(fields[try #require(.init("X-Full"))] == "1")
        },
        Case(
            "a folded line is one value", needs: [.http1],
            [.send(Data("HTTP/1.1 200 OK\r\nX-Folded: one\r\n  two\r\nContent-Length: 2\r\n\r\nok".utf8))]
        ) { stage async throws in
            let response = await stage.send()
            #expect(response.text == "ok")
            #expect(response.head?.headers[try #require(.init("X-Folded"))] == "one two")
        },
        Case(
            "interim responses are not the response", needs: [.http1],
            [.send(Data("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))]
        ) { stage async throws in
            let response = await stage.send()
            #expect(try response.value == Data("ok".utf8))
            #expect(response.status == 200)
            #expect(response.head?.headers[try #require(.init("Link"))] == nil)
        },
    ]

    private static let duplicates: Headers = {
        var headers: Headers = [:]
        for value in ["1.1 one", "1.1 two", "1.1 three"] { headers.append("Via", value) }
        return headers
    }()

    static func cookies(_ lines: [String]) -> Headers {
        var headers: Headers = [:]
        for line in lines { headers.append("Set-Cookie", line) }
        return headers
    }

    static let statuses: [Case] = [
        Case("204 is a success without a body", Answer(204)) { stage async throws in
            let response = await stage.send()
            #expect(try response.value.isEmpty)
            #expect(response.status == 204)
        },
        Case("304 keeps its fields and has no body", Answer(304, ["ETag": "\"7\""])) { stage async throws in
            let response = await stage.send(headers: ["If-None-Match": "\"7\""])
            #expect(response.status == 304 && response.head?.headers[.eTag] == "\"7\"" && response.data.isEmpty)
        },
        Case("the response to HEAD has a length and no body", Answer(200, ["Content-Length": "12345"])) { stage async throws in
            let response = await stage.send(.head)
            #expect(response.error == nil && response.head?.headers[.contentLength] == "12345")
            #expect(response.data.isEmpty)
        },
        Case("404 is rejected, and its body is kept", Answer(404, body: "nothing here")) { stage async throws in
            let response = await stage.send()
            #expect(response.error?.label == "verification.unacceptableStatus.404")
            #expect(response.text == "nothing here")
        },
        Case(
            "401 without a known challenge is rejected like any other", Answer(401, ["WWW-Authenticate": "Bearer"], body: "who?")
        ) { stage async throws in
            let response = await stage.send()
            #expect(response.error?.label == "verification.unacceptableStatus.401" && response.text == "who?")
            #expect(stage.requests.count == 1)
        },
        Case(
            "an unrequested partial answer is rejected", needs: [.checksHead],
            Answer(206, ["Content-Range": "bytes 0-1/9"], body: "ab")
        ) { stage async throws in #expect(await stage.send().transportError?.label == "malformedResponse") },
        Case("a requested partial answer is the response", Answer(206, ["Content-Range": "bytes 0-1/9"], body: "ab")) {
            stage async throws in
            #expect(try await stage.send(headers: ["Range": "bytes=0-1"]).value == Data("ab".utf8))
        },
        Case("a partial answer from another byte, or without its range, is rejected", needs: [.checksHead]) {
            _, number in
            Answer(206, number == 0 ? [:] : ["Content-Range": "bytes 0-1/9"], body: "ab")
        } run: { stage async throws in
            for _ in 0..<2 {
                #expect(await stage.send(headers: ["Range": "bytes=4-"]).transportError?.label == "malformedResponse")
            }
        },
        Case("a part counted from the end, and several parts, are accepted") { _, number in
            number == 0
                ? Answer(206, ["Content-Range": "bytes 7-8/9"], body: "ab")
                : Answer(206, ["Content-Type": "multipart/byteranges; boundary=b"], body: "--b--")
        } run: { stage async throws in
            #expect(try await stage.send(headers: ["Range": "bytes=-2"]).value == Data("ab".utf8))
            #expect(try await stage.send(headers: ["Range": "bytes=0-1, 4-5"]).value == Data("--b--".utf8))
        },
        Case("the version and the peer of an exchange are reported", needs: [.timings], Answer(200, body: "four")) {
            stage async throws in
            let metrics = try #require(await stage.send().metrics)
            #expect(metrics.httpVersion == (stage.server?.tls == nil ? "HTTP/1.1" : "HTTP/2"))
            #expect(metrics.remoteAddress == "127.0.0.1" && metrics.bytesReceived == 4)
            #expect(metrics.connect != nil)
        },
    ]
}
