import TestSupport

@testable import CoreAPIStreaming

/// Servers and parsers of other projects. Not in the root for another libcurl, which has no Python.
@Suite("Streams of other implementations", .closing, .timeLimit(.minutes(1)))
struct PeerTests {
    /// Runs a Python program that serves on a free port, and ends after `/quit` or half a minute.
    ///
    /// - Parameter handler: the class `Handler`, whose method `get` answers a GET.
    private func withPython(_ handler: String, python: String = "python3", _ body: (Channel) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("port-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let program = """
            import http.server, json, os, threading
            class Base(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def log_message(self, *args): pass
                def do_GET(self):
                    if self.path == "/quit": os._exit(0)
                    self.get()
                def answer(self, kind, data):
                    self.send_response(200)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
            \(handler)
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            threading.Timer(30, os._exit, [1]).start()
            with open("\(file).part", "w") as out: out.write(str(server.server_port))
            os.rename("\(file).part", "\(file)")
            server.serve_forever()
            """
        let run = Task { try await Program.run([python, "-c", program], capturesErrors: true) }
        try await eventually("the Python server did not start") { FileManager.default.fileExists(atPath: file) }
        let channel = Channel.test("http://127.0.0.1:\(try String(contentsOfFile: file, encoding: .utf8))/")
        do { try await body(channel) } catch { Issue.record(error) }
        _ = await channel.manager.response(for: .get("quit"), as: .nothing)
        _ = try await run.value
    }

    private func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    @Test("Python sends events over several connections, cut in the middle of lines", .enabled(if: Program.exists("python3")))
    func events() async throws {
        let handler = """
            class Handler(Base):
                def get(self):
                    last = int(self.headers.get("Last-Event-ID", "0"))
                    if last >= 300:
                        self.send_response(204)
                        self.end_headers()
                        return
                    self.send_response(200)
                    self.send_header("Content-Type", "text/event-stream")
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    text = "retry: 1\\r\\n: hello\\r\\n\\r\\n"
                    for number in range(last + 1, last + 101):
                        text += f"id: {number}\\nevent: tick\\ndata: line one of {number}\\ndata: ş\\n\\n"
                    data = text.encode()
                    for start in range(0, len(data), 7):
                        piece = data[start:start + 7]
                        self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(piece), piece))
                    self.wfile.write(b"0\\r\\n\\r\\n")
            """
        try await withPython(handler) { channel in
            var (events, opened) = (0, 0)
            for try await update in channel.manager.events(.get("events")).updates {
                if case .open = update { opened += 1 }
                guard case .event(let event) = update else { continue }
                events += 1
                #expect(event == ServerSentEvent(id: "\(events)", name: "tick", data: "line one of \(events)\nş"))
            }
            #expect(events == 300 && opened == 3)
        }
    }

    @Test(
        "Python's e-mail package writes a multipart body that the kit reads, and reads one that the kit writes",
        .enabled(if: Program.exists("python3")))
    func multipart() async throws {
        let handler = """
            from email.mime.multipart import MIMEMultipart
            from email.mime.application import MIMEApplication
            from email.mime.text import MIMEText
            import email, email.policy, email.utils
            class Handler(Base):
                def get(self):
                    whole = MIMEMultipart("mixed")
                    whole.attach(MIMEText("çay\\n", "plain", "utf-8"))
                    inner = MIMEMultipart("alternative")
                    inner.attach(MIMEText("inner", "plain"))
                    whole.attach(inner)
                    file = MIMEApplication(bytes(range(256)))
                    file.add_header("Content-Disposition", "attachment", filename=("utf-8", "", "fiyat €.bin"))
                    whole.attach(file)
                    policy = email.policy.HTTP if self.path == "/crlf" else email.policy.default
                    head, _, body = whole.as_bytes(policy=policy).partition(policy.linesep.encode() * 2)
                    self.answer(whole["Content-Type"].replace("\\n", ""), body)
                def do_POST(self):
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    head = b"Content-Type: " + self.headers["Content-Type"].encode() + b"\\r\\n\\r\\n"
                    whole = email.message_from_bytes(head + body, policy=email.policy.HTTP)
                    parts = [[p.get_param("name", header="content-disposition"), p.get_filename(), p.get_content_type(),
                              p.get_payload(decode=True).hex()] for p in whole.iter_parts()]
                    # The policy HTTP prefers the plain name.
                    for p in email.message_from_bytes(head + body, policy=email.policy.compat32).get_payload():
                        for _, value in p.get_params(header="content-disposition"):
                            if isinstance(value, tuple): parts.append([email.utils.collapse_rfc2231_value(value)])
                    self.answer("application/json", json.dumps(parts).encode())
            """
        try await withPython(handler) { channel in
            for path in ["lf", "crlf"] {
                var names: [String?] = []
                var types: [String?] = []
                for try await part in channel.manager.parts(.get(path)) {
                    names.append(part.fileName)
                    types.append(part.mediaType?.essence)
                    guard let boundary = part.mediaType?.parameters["boundary"] else { continue }
                    for try await inner in try part.body.parts(boundary: boundary) {
                        #expect(try await inner.body.collect(upTo: 99) == Data("inner".utf8))
                    }
                }
                #expect(types == ["text/plain", "multipart/alternative", "application/octet-stream"])
                #expect(names == [nil, nil, "fiyat €.bin"])
            }
            let form = MultipartForm(
                [.text("başlık", "1\r\n2"), .data("f", Data((0...255).map(UInt8.init)), fileName: "a b.bin")])
            let parts = try await channel.manager.request(.post("x", encoding: .multipart(form)), as: [[String?]].self)
            #expect(parts.map { $0[3] } == ["310d0a32", hex(Data((0...255).map(UInt8.init)))])
            #expect(parts[1][0] == "f" && parts[1][1] == "a b.bin")
            let extended = MultipartForm([.data("f", Data(), fileName: "fiyat €.bin")], fileNames: .extended)
            let names = try await channel.manager.request(.post("x", encoding: .multipart(extended)), as: [[String?]].self)
            #expect(names.count == 2 && names.last == ["fiyat €.bin"])
        }
    }

    /// Of the environment that `Scripts/setup tests` makes.
    private static let venv = FileManager.default.currentDirectoryPath + "/.build/httpbin-venv"

    @Test(
        "the package multipart of PyPI reads a form that the kit sends",
        .enabled(if: FileManager.default.isExecutableFile(atPath: venv + "/bin/python")))
    func thirdParser() async throws {
        let handler = """
            import multipart
            class Handler(Base):
                def do_POST(self):
                    forms, files = multipart.parse_form_data({
                        "REQUEST_METHOD": "POST", "CONTENT_TYPE": self.headers["Content-Type"],
                        "CONTENT_LENGTH": self.headers["Content-Length"], "wsgi.input": self.rfile}, strict=True)
                    parts = [[name, None, None, value.encode().hex()] for name, value in forms.iterallitems()]
                    parts += [[name, part.filename, part.content_type, part.raw.hex()] for name, part in files.iterallitems()]
                    self.answer("application/json", json.dumps(parts).encode())
            """
        try await withPython(handler, python: Self.venv + "/bin/python") { channel in
            let bytes = Data((0...255).map(UInt8.init))
            let form = MultipartForm([
                .text("başlık", "1\r\n2"), .text("quote\"d", "x"), .text("empty", ""),
                .data("f", bytes + Data("\r\n--".utf8), fileName: "ş b.bin", contentType: "image/png"),
            ])
            let parts = try await channel.manager.request(.post("x", encoding: .multipart(form)), as: [[String?]].self)
            #expect(
                parts == [
                    ["başlık", nil, nil, hex(Data("1\r\n2".utf8))], ["quote\"d", nil, nil, "78"], ["empty", nil, nil, ""],
                    ["f", "ş b.bin", "image/png", hex(bytes + Data("\r\n--".utf8))],
                ])
        }
    }
}
