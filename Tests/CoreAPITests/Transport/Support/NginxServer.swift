import TestSupport

/// A real server with TLS and HTTP/2. The `openssl` command makes its certificates in a separate directory.
final class NginxServer {
    private(set) var port = 0
    private(set) var plainPort = 0
    let directory: URL
    let authority: String
    let pin: String
    private let tls: String
    private var process: pid_t = 0

    /// - Parameters:
    ///   - http2: whether ALPN offers it.
    ///   - verifiesClients: whether the server accepts only clients with `client.pem`.
    ///   - protocols: the versions of TLS.
    init(
        http2: Bool, streams: Int = 128, keepaliveRequests: Int = 100_000, verifiesClients: Bool = false,
        protocols: String = "TLSv1.2 TLSv1.3"
    ) async throws {
        tls = "ssl_protocols \(protocols);" + (verifiesClients ? " ssl_client_certificate ca.pem; ssl_verify_client on;" : "")
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("kit-nginx-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let path = directory.path
        let making = try await Program.run(
            [
                "/bin/bash", "-ec",
                """
                cd \(path)
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=Test
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout s.key -out s.csr -subj /CN=localhost
                printf 'subjectAltName=DNS:localhost' > ext
                openssl x509 -req -in s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out s.pem -days 2 -extfile ext
                openssl x509 -in s.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64 > pin
                if [ \(verifiesClients ? 1 : 0) = 1 ]; then
                  openssl req -newkey rsa:2048 -passout pass:open -keyout client.key -out client.csr -subj /CN=client
                  openssl x509 -req -in client.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out client.pem -days 2
                  openssl pkcs12 -export -in client.pem -inkey client.key -passin pass:open -passout pass:sesame -out client.p12
                fi
                mkdir www && head -c 1024 /dev/zero | tr '\\0' a > www/1k && head -c 300000 /dev/zero | tr '\\0' b > www/300k
                """,
            ], capturesErrors: true)
        guard making.status == 0 else { throw CocoaError(.executableLoad) }
        authority = try String(contentsOf: directory.appendingPathComponent("ca.pem"), encoding: .utf8)
        pin =
            "sha256/"
            + (try String(contentsOf: directory.appendingPathComponent("pin"), encoding: .utf8)).trimmingCharacters(
                in: .whitespacesAndNewlines)
        // nginx cannot choose a free port. It gets a random one, and another one if that is taken.
        for _ in 0..<20 {
            port = Int.random(in: 20_000..<28_000)
            plainPort = port + 1
            try configuration(http2: http2, streams: streams, keepaliveRequests: keepaliveRequests)
                .write(to: directory.appendingPathComponent("nginx.conf"), atomically: true, encoding: .utf8)
            process = try Self.start([
                Self.executable("nginx"), "-p", path, "-c", path + "/nginx.conf", "-e", path + "/error.log",
            ])
            while waitpid(process, nil, WNOHANG) == 0 {
                // nginx writes its process id into the file when it listens.
                if FileManager.default.fileExists(atPath: path + "/pid") { return }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        throw CocoaError(.executableLoad)
    }

    private func configuration(http2: Bool, streams: Int, keepaliveRequests: Int) -> String {
        let path = directory.path
        return """
            daemon off; master_process off; worker_processes 1; pid \(path)/pid; error_log \(path)/error.log;
            events { worker_connections 4096; }
            http {
              access_log \(path)/access.log; keepalive_requests \(keepaliveRequests); client_max_body_size 64m;
              client_body_temp_path \(path); proxy_temp_path \(path); fastcgi_temp_path \(path); uwsgi_temp_path \(path);
              scgi_temp_path \(path);
              server {
                listen 127.0.0.1:\(port) ssl\(http2 ? " http2" : ""); listen 127.0.0.1:\(plainPort);
                http2_max_concurrent_streams \(streams);
                ssl_certificate s.pem; ssl_certificate_key s.key; \(tls) root \(path)/www;
                location = /connection { return 200 "$connection $connection_requests $server_protocol"; }
                location = /slow { limit_rate 2000; try_files /300k =404; }
              }
            }
            """
    }

    deinit {
        kill(process, SIGKILL)
        // On a thread of its own, because the last reference often goes on one of Swift's pool.
        Thread.detachNewThread { [process, directory] in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            try? FileManager.default.removeItem(at: directory)
        }
    }

    var url: String { "https://localhost:\(port)" }

    /// How many requests it has answered, once there are at least `count`; it logs each a moment after its response.
    func served(_ count: Int) async throws -> Int {
        let log = directory.appendingPathComponent("access.log")
        var lines = 0
        for _ in 0..<500 {
            lines = try String(contentsOf: log, encoding: .utf8).utf8.count { $0 == UInt8(ascii: "\n") }
            if lines >= count { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        return lines
    }

    /// `Scripts/setup tests` installs it; without it the tests fail with that advice.
    private static func executable(_ name: String) -> String {
        let places = ["/usr/sbin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
        return places.first { access($0, X_OK) == 0 } ?? name
    }

    private static func start(_ command: [String]) throws -> pid_t {
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawn(&process, command[0], nil, nil, &arguments, environ) == 0 else { throw CocoaError(.executableLoad) }
        return process
    }
}
