import TestSupport

@testable import CoreAPIStreaming

@Suite("Reading multipart bodies", .closing, .timeLimit(.minutes(1)))
struct MultipartReadingTests {
    private struct Part: Equatable {
        var name: String?
        var content: String
    }

    private func parts(_ body: Body, boundary: String = "b", limits: Body.PartLimits = Body.PartLimits()) async throws -> [Part] {
        var parts: [Part] = []
        for try await part in try body.parts(boundary: boundary, limits: limits) {
            let content = try await part.body.collect(upTo: 1 << 20)
            parts.append(Part(name: part.name ?? part.mediaType?.essence, content: String(decoding: content, as: UTF8.self)))
        }
        return parts
    }

    private static let mixed = [
        "a preamble that is ignored", "--bb is no boundary", "--b \t", "Content-Type: text/plain", "", "first", "--b", "",
        "second", "--b is not one", "--bbb", "--", "", "--b", "Content-Disposition: form-data;", " name=\"third\"", "", "",
        "--b--", "an epilogue", "--b",
    ].joined(separator: "\r\n")

    @Test("preamble, epilogue, padding, lines like a boundary and an empty part are read, at any cut")
    func standard() async throws {
        let expected = [
            Part(name: "text/plain", content: "first"), Part(name: nil, content: "second\r\n--b is not one\r\n--bbb\r\n--\r\n"),
            Part(name: "third", content: ""),
        ]
        for body in cuts(Self.mixed) { #expect(try await parts(body) == expected) }
    }

    @Test("LF alone, a last boundary without a line end, and a body without parts are accepted")
    func corners() async throws {
        #expect(try await parts(.bytes(Data("--b\nA: 1\n\nx\ny\n--b--".utf8))) == [Part(content: "x\ny")])
        #expect(try await parts(.bytes(Data("--b--".utf8))) == [])
        #expect(try await parts(.bytes(Data("--b\r\n\r\n--b--\r\n".utf8))) == [Part(content: "")])
        #expect(try await parts(.bytes(Data("--b\r\n\r\n\r\r\n--b--\r\n".utf8))) == [Part(content: "\r")])
    }

    @Test(
        "a boundary that was named with the dashes of its lines is found, as cameras write it; so is one that begins with dashes",
        arguments: [
            ("--b", "--b"), ("--b", "----b"), ("----WebKit", "----WebKit"), ("----WebKit", "------WebKit"), ("--", "----"),
        ])
    func dashes(boundary: String, line: String) async throws {
        let bytes = Data("\(line)\r\nA: 1\r\n\r\nx\r\n-\(line)\r\n\(line)\r\n\r\nsecond\r\n\(line)--\r\n".utf8)
        let expected = [Part(content: "x\r\n-\(line)"), Part(content: "second")]
        for body in cuts(bytes) { #expect(try await parts(body, boundary: boundary) == expected) }
        let preamble = Data("camera 7\r\n".utf8)
        #expect(try await parts(.cut(preamble + bytes, every: 2), boundary: boundary) == expected)
    }

    @Test("the first boundary of a body decides how its boundary is written")
    func dashesOnce() async throws {
        let body = Body.bytes(Data("----b\r\n\r\n--b\r\n--b--\r\n----b--".utf8))
        #expect(try await parts(body, boundary: "--b") == [Part(content: "--b\r\n--b--")])
        let other = Body.bytes(Data("--b\r\n\r\n----b\r\n--b--".utf8))
        #expect(try await parts(other, boundary: "--b") == [Part(content: "----b")])
    }

    @Test("the pictures of a camera arrive one by one, if its boundary has the dashes of its lines")
    func camera() async throws {
        let gate = try Gate()
        let picture = "\r\n--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 4\r\n\r\n"
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": "multipart/x-mixed-replace;boundary=--frame"]),
                .sendBody(Data((picture + "JPG1" + picture).utf8)), .waitFor(gate), .sendBody(Data(("JPG2" + picture).utf8)),
                .stall,
            ]
        }
        var pictures: [String] = []
        for try await part in server.manager.parts(.get("video")) {
            pictures.append(String(decoding: try await part.body.collect(upTo: 9), as: UTF8.self))
            gate.open()
            if pictures.count == 2 { break }
        }
        #expect(pictures == ["JPG1", "JPG2"])
    }

    @Test("a body that ends before its last boundary is an error, at every byte but the last line end")
    func withoutEnd() async throws {
        let bytes = Data("--b\r\nA: 1\r\n\r\nxyz\r\n--b\r\n\r\nsecond\r\n--b--".utf8)
        for count in 0..<bytes.count {
            for body in [Body.bytes(Data(bytes.prefix(count))), .cut(Data(bytes.prefix(count)), every: 1)] {
                let defect = await #expect(throws: StreamError.self, "\(count)") { try await parts(body) }
                #expect(defect?.kind == "partWithoutEnd" && defect?.bytes == Int64(count))
            }
        }
    }

    @Test("heads and parts beyond the limits are rejected")
    func limits() async throws {
        let many = Body.bytes(Data((String(repeating: "--b\r\n\r\nx\r\n", count: 4) + "--b--").utf8))
        #expect(try await parts(many, limits: Body.PartLimits(parts: 4)).count == 4)
        var defect = await #expect(throws: StreamError.self) { try await parts(many, limits: Body.PartLimits(parts: 3)) }
        #expect(defect?.kind == "tooManyParts" && defect?.items == 3)
        for line in ["A: \(String(repeating: "x", count: 20_000))", String(repeating: "A: 1\r\n", count: 1_001)] {
            defect = await #expect(throws: StreamError.self) {
                try await parts(.cut(Data("--b\r\n\(line)\r\n\r\nx\r\n--b--".utf8), every: 1_000))
            }
            #expect(defect?.kind == "partHeadTooLarge")
        }
        for line in ["no colon", "bad name: x", ": x"] {
            let body = Body.bytes(Data("--b\r\n\(line)\r\n\r\n--b--".utf8))
            defect = await #expect(throws: StreamError.self) { try await parts(body) }
            #expect(defect?.kind == "malformedPartHead")
        }
    }

    @Test("names are read in the form of browsers, in quotes, and in the extended form (RFC 8187)")
    func names() async throws {
        func name(_ disposition: String) async throws -> (String?, String?) {
            let body = Body.bytes(Data("--b\r\nContent-Disposition: \(disposition)\r\n\r\n\r\n--b--".utf8))
            for try await part in try body.parts(boundary: "b") { return (part.name, part.fileName) }
            return (nil, nil)
        }
        #expect(try await name(#"form-data; name="a b"; filename="ş \"1\".png""#) == ("a b", #"ş "1".png"#))
        #expect(try await name("attachment; filename=plain.txt; filename*=UTF-8''%E2%82%AC%20rates.txt") == (nil, "€ rates.txt"))
        #expect(try await name("attachment; filename*=iso-8859-1'en'%A3%20rates") == (nil, "£ rates"))
        #expect(try await name("attachment; filename=a; filename*=UTF-8''\u{301}.txt") == (nil, "\u{301}.txt"))
        // Not well-formed (§3.2.1), or in another charset.
        for extended in [
            "UTF-8''%C3", "nothing''x", "%41", "UTF-8''%e", "UTF-8''%+fa", "UTF-8''%-0a", "UTF-8''%ff", "UTF-8'a", "none''a",
        ] { #expect(try await name("form-data; filename=a; filename*=\(extended)") == (nil, "a")) }
        #expect(try await name("form-data") == (nil, nil))
        // With the backslashes of a path, single as browsers write them, or doubled.
        for path in [#""C:\f.txt""#, #""C:\\f.txt""#, #"C:\f.txt"#] {
            #expect(try await name("form-data; name=\"a\"; filename=\(path)") == ("a", #"C:\f.txt"#))
        }
        #expect(try await name(#"form-data; filename="C:\d\\"; name="b""#) == ("b", #"C:\d\"#))
        #expect(try await name(#"form-data; ";name=b"#) == ("b", nil))
    }

    @Test("bytes of a head that are not UTF-8 are kept")
    func bytesOfHeads() async throws {
        let value: [UInt8] = Array("form-data; filename=\"caf".utf8) + [0xE9] + Array("\"".utf8)
        let body = Data("--b\r\nX-Before:  \t\r\nContent-Disposition: \t".utf8) + value + Data("\t \r\n\r\n\r\n--b--".utf8)
        var parts = try Body.bytes(body).parts(boundary: "b").makeAsyncIterator()
        let part = try #require(try await parts.next())
        #expect(part.headers.first { $0.name == .contentDisposition }?.withUnsafeBytesOfValue { Array($0) } == value)
        #expect(part.fileName?.hasPrefix("caf") == true)
        let hostile = Data("--b\r\nX: a".utf8) + [0xE9, 0x01] + Data("\r\n\r\n\r\n--b--".utf8)
        await #expect(throws: StreamError.self) { for try await _ in try Body.bytes(hostile).parts(boundary: "b") {} }
    }

    @Test("the reader gives back a form that the kit wrote, and a nested body")
    func roundTrip() async throws {
        let innerForm = MultipartForm([.text("x", "inner text")])
        let form = MultipartForm([
            .text("a", "1\r\n--"), .data("f", Data((0...255).map(UInt8.init)), fileName: "f.bin"),
            MultipartForm.Part("nested", body: try innerForm.body(), contentType: innerForm.contentType),
        ])
        var found: [String] = []
        for try await part in try form.body().parts(boundary: form.boundary) {
            found.append(part.name ?? "")
            if part.name == "f" { #expect(try await part.body.collect(upTo: 300) == Data((0...255).map(UInt8.init))) }
            guard part.name == "nested", let boundary = part.mediaType?.parameters["boundary"] else { continue }
            #expect(try await parts(part.body, boundary: boundary) == [Part(name: "x", content: "inner text")])
        }
        #expect(found == ["a", "f", "nested"])
    }

    @Test("a form may write the names of its files in the extended form as well (RFC 8187)")
    func extendedNames() async throws {
        let parts: [MultipartForm.Part] = [.data("a", Data(), fileName: "fiyat €.txt"), .data("b", Data(), fileName: "b.txt")]
        let extended = MultipartForm(parts, fileNames: .extended)
        let text = String(decoding: try await extended.body().collect(upTo: 1_000), as: UTF8.self)
        #expect(text.contains("filename=\"fiyat €.txt\"; filename*=UTF-8''fiyat%20%E2%82%AC.txt\r\n"))
        #expect(text.contains("filename=\"b.txt\"\r\n"))
        var names: [String?] = []
        for try await part in try extended.body().parts(boundary: extended.boundary) { names.append(part.fileName) }
        #expect(names == ["fiyat €.txt", "b.txt"])
        let usual = String(decoding: try await MultipartForm(parts).body().collect(upTo: 1_000), as: UTF8.self)
        #expect(!usual.contains("filename*"))
    }

    @Test("an unread part is skipped, a passed part cannot be read, and no part can be read twice")
    func order() async throws {
        let body = Body.cut(Data("--b\r\n\r\nfirst\r\n--b\r\n\r\nsecond\r\n--b--".utf8), every: 3)
        var parts = try body.parts(boundary: "b").makeAsyncIterator()
        let first = try #require(try await parts.next())
        let second = try #require(try await parts.next())
        let defect = await #expect(throws: StreamError.self) { try await first.body.collect(upTo: 9) }
        #expect(defect?.kind == "partPassed")
        #expect(try await second.body.collect(upTo: 9) == Data("second".utf8))
        await #expect(throws: BodyError.readTwice) { try await second.body.collect(upTo: 9) }
        #expect(try await parts.next() == nil)
    }

    @Test("the parts of a response arrive one by one, with backpressure, and their errors are the call's")
    func answer() async throws {
        let (gate, sent) = (try Gate(), try Gate())
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": "multipart/mixed; boundary=\"x y\""]),
                .sendBody(Data("--x y\r\nA: 1\r\n\r\none".utf8)), .waitFor(gate),
                .sendBody(Data(" more\r\n--x y\r\n\r\n".utf8) + Data(count: 32 << 20)), .open(sent),
                .sendBody(Data("\r\n--x".utf8)), .closeConnection,
            ]
        }
        var lengths: [Int] = []
        let error = await failure {
            for try await part in server.manager.parts(.get("photos")) {
                var length = 0
                for try await chunk in part.body {
                    if lengths.isEmpty { gate.open() }
                    if lengths.count == 1, length == 0 { #expect(!sent.isOpen) }
                    length += chunk.count
                }
                lengths.append(length)
            }
        }
        #expect(error?.streamError?.kind == "partWithoutEnd" && error?.context.streamed?.items == 2)
        #expect(lengths == [8])
    }

    @Test("a response that is not multipart, or names no boundary, is rejected with its type")
    func noBoundary() async throws {
        let server = try LoopbackServer.test { request in
            .ok(Data("--b--".utf8), headers: ["Content-Type": request.path == "/a" ? "application/json" : "multipart/mixed"])
        }
        let channel = Channel.test(server)
        for path in ["a", "b"] {
            let error = await #expect(throws: APIClientError.self) { try await channel.manager.parts(.get(path)).all() }
            #expect(error?.streamError?.kind == "noBoundary")
        }
        #expect(throws: StreamError.self) { try Body.none.parts(boundary: "") }
        #expect(throws: StreamError.self) { try Body.none.parts(boundary: "a\r\nb") }
    }
}
