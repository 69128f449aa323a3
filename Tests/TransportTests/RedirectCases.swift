import TestSupport

extension Case {
    static let redirects: [Case] =
        [301, 302, 303, 307, 308].map { status in
            let keeps = status >= 307
            return Case("\(status) sends a POST on as \(keeps ? "a POST with its body" : "a GET without one")") { request, _ in
                request.target == "/thing" ? Answer(status, ["Location": "/there"], body: "moved") : Answer(200, body: "here")
            } run: { stage async throws in
                let response = await stage.send(.post, headers: ["Content-Type": "text/plain"], body: .bytes(Data("x".utf8)))
                #expect(try response.value == Data("here".utf8))
                #expect(stage.requests.map(\.method) == ["POST", keeps ? "POST" : "GET"])
                #expect(stage.requests.map(\.text) == ["x", keeps ? "x" : ""])
            }
        } + [
            Case("a relative address is resolved against the previous one") { request, _ in
                switch request.target {
                case "/a/b/thing": Answer(302, ["Location": "../c?d=e"])
                case "/a/c?d=e": Answer(200, body: "here")
                default: Answer(404)
                }
            } run: { stage async throws in
                #expect(try await stage.send(.get, "a/b/thing").value == Data("here".utf8))
            },
            Case("a field that may be a credential does not go to another origin") { request, _ in
                let address = (request.headers["X-Requested-With"] ?? "") + "/there"
                return request.target == "/thing" ? Answer(302, ["Location": address]) : Answer(200, body: "there")
            } run: { stage async throws in
                let headers: Headers = ["Authorization": "Bearer secret", "X-Api-Key": "secret", "Accept-Language": "cs"]
                let response = await stage.send(headers: headers) {
                    $0.environment.commonHeaders["X-Requested-With"] = stage.other
                }
                #expect(try response.value == Data("there".utf8))
                let seen = stage.requests.map(\.headers)
                #expect(seen.map { $0["Authorization"] } == ["Bearer secret", nil])
                #expect(seen.map { $0["X-Api-Key"] } == ["secret", nil])
                #expect(seen.map { $0["Accept-Language"] } == ["cs", "cs"])
            },
            Case("a loop ends at the channel's limit") { _, number in
                Answer(302, ["Location": "/loop-\(number)"])
            } run: { stage async throws in
                let response = await stage.send { $0.limits.redirects = 5 }
                #expect(response.transportError?.label == "tooManyRedirects")
                #expect(stage.requests.count == 6)
            },
            Case(
                "without redirects the redirect is the response, with its body",
                Answer(302, ["Location": "/there"], body: "moved")
            ) { stage async throws in
                let response = await stage.send { $0.limits.redirects = 0 }
                #expect(response.status == 302 && response.text == "moved")
                #expect(stage.requests.count == 1)
            },
            Case("from https to http is rejected", needs: [.https], Answer(302, ["Location": "http://127.0.0.1/"])) {
                stage async throws in
                #expect(await stage.send().transportError?.label == "redirectRejected")
            },
            Case("to another scheme is rejected", Answer(302, ["Location": "ftp://127.0.0.1/"])) { stage async throws in
                #expect(await stage.send().transportError?.label == "redirectRejected")
            },
            Case("a followed redirect's body may be larger than the channel's limit") { request, _ in
                request.target == "/thing"
                    ? Answer(302, ["Location": "/there"], body: String(repeating: "moved ", count: 100_000))
                    : Answer(200, body: "here")
            } run: { stage async throws in
                let response = await stage.send { $0.limits.responseBodySize = 100 }
                #expect(try response.value == Data("here".utf8))
            },
            Case("a redirect without an address is the response") { _, number in
                Answer([301, 302, 303, 307, 308][number], body: "moved")
            } run: { stage async throws in
                for status in [301, 302, 303, 307, 308] {
                    let response = await stage.send()
                    #expect(response.status == status && response.error?.label == "verification.unacceptableStatus.\(status)")
                }
            },
            // The body is more than is read of a redirect that is followed.
            Case("a redirect with an empty address is the response, with all of its body", needs: [.emptyLocations]) {
                _, number in
                Answer(302, ["Location": number.isMultiple(of: 2) ? "" : " \t"], body: String(repeating: "moved ", count: 50_000))
            } run: { stage async throws in
                for (count, method) in [HTTPRequest.Method.get, .get, .post, .post].enumerated() {
                    let response = await stage.send(method)
                    #expect(response.status == 302)
                    #expect(response.error?.label == "verification.unacceptableStatus.302")
                    #expect(response.text == String(repeating: "moved ", count: 50_000))
                    #expect(stage.requests.count == count + 1)
                }
            },
        ]

    static let cookies: [Case] = [
        Case("a cookie is sent with the next request") { _, number in
            Answer(200, number == 0 ? cookies(["a=1; Path=/", "b=2"]) : [:])
        } run: { stage async throws in
            let jar = CookieJar()
            for _ in 0..<2 { #expect(await stage.send { $0.cookies = jar }.error == nil) }
            #expect(stage.requests.map { $0.headers["Cookie"] } == [nil, "a=1; b=2"])
        },
        Case("a cookie of a redirect is sent to its target") { request, _ in
            request.target == "/thing" ? Answer(302, ["Location": "/there", "Set-Cookie": "a=1; Path=/"]) : Answer()
        } run: { stage async throws in
            #expect(await stage.send { $0.cookies = CookieJar() }.error == nil)
            #expect(stage.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
        },
        Case("a cookie stays below its path") { _, number in
            Answer(200, number == 0 ? ["Set-Cookie": "a=1; Path=/in"] : [:])
        } run: { stage async throws in
            let jar = CookieJar()
            for path in ["in/one", "in/two", "out"] { _ = await stage.send(.get, path) { $0.cookies = jar } }
            #expect(stage.requests.map { $0.headers["Cookie"] } == [nil, "a=1", nil])
        },
        Case("a cookie for another domain is not kept", Answer(200, ["Set-Cookie": "a=1; Domain=elsewhere.example; Path=/"])) {
            stage async throws in
            let jar = CookieJar()
            for _ in 0..<2 { _ = await stage.send { $0.cookies = jar } }
            #expect(stage.requests.map { $0.headers["Cookie"] } == [nil, nil])
        },
        Case("without a jar no cookie is kept", Answer(200, ["Set-Cookie": "a=1; Path=/"])) { stage async throws in
            for _ in 0..<2 { _ = await stage.send() }
            #expect(stage.requests.map { $0.headers["Cookie"] } == [nil, nil])
        },
    ]
}
