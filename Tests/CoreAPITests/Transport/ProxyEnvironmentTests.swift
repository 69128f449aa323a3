import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("A proxy of the environment")
struct ProxyEnvironmentTests {
    @Test(
        "is read from the scheme's variable, then from the one for all schemes",
        arguments: [
            (["http_proxy": "a"], "http", "http_proxy"), (["http_proxy": "a"], "https", nil), (["HTTP_PROXY": "a"], "http", nil),
            (["HTTPS_PROXY": "a"], "https", "HTTPS_PROXY"), (["https_proxy": "a", "HTTPS_PROXY": "b"], "https", "https_proxy"),
            (["https_proxy": "", "ALL_PROXY": "b"], "https", "ALL_PROXY"),
            (["all_proxy": "a", "ALL_PROXY": "b"], "http", "all_proxy"), (["no_proxy": "x"], "http", nil),
        ] as [([String: String], String, String?)])
    func variables(_ variables: [String: String], scheme: String, expected: String?) throws {
        let url = try HTTPURL("\(scheme)://h.example/x")
        #expect(ProxyEnvironment(variables)?.proxy(for: url)?.source == expected)
    }

    @Test(
        "is not used for the hosts in no_proxy",
        arguments: [
            ("example.com", "example.com", true), (".example.com", "api.example.com", true),
            ("example.com", "notexample.com", false),
            ("EXAMPLE.com.", "api.example.com", true), ("a.example, b.example", "b.example", true),
            ("a.example b.example", "b.example", true),
            ("*", "anything.example", true), ("10.0.0.0/8", "10.1.2.3", true),
            ("10.0.0.0/8", "11.1.2.3", false), ("10.0.0.128/25", "10.0.0.127", false), ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "1.127.0.0.1.example", false), ("fe80::/10", "[fe80::1]", true), ("[::1]", "[::1]", true),
            ("::1", "[::2]", false), ("10.0.0.0/x", "10.0.0.0", false), ("10.0.0.0/99", "10.0.0.0", false),
            ("0.0.0.0/0", "8.8.8.8", true), ("example.com/0", "example.com", false),
            ("", "h.example", false), (",", "h.example", false), ("bücher.example", "www.xn--bcher-kva.example", true),
            // Every name below, and not the name itself.
            ("*.intern.test", "api.intern.test", true), ("*.Intern.TEST", "a.b.intern.test.", true),
            ("*.intern.test", "intern.test", false), ("*.intern.test", "notintern.test", false),
            ("*.0.0.1", "127.0.0.1", false), ("*.", "h.example", false),
            // A port, with every form of a host.
            ("127.0.0.1:8080", "127.0.0.1:8080", true), ("127.0.0.1:8080", "127.0.0.1:8081", false),
            ("127.0.0.1:8080", "127.0.0.1", false), ("127.0.0.1:80", "127.0.0.1", true), ("127.0.0.1", "127.0.0.1:8080", true),
            ("api.example:8080", "api.example:8080", true), ("api.example:8080", "v2.api.example:8080", true),
            ("api.example:8080", "api.example:9", false), (".example:8080", "api.example:8080", true),
            ("*.intern.test:8080", "api.intern.test:8080", true), ("*.intern.test:8080", "api.intern.test", false),
            ("[::1]:8080", "[::1]:8080", true), ("[::1]:8080", "[::1]", false), ("::1", "[::1]:8080", true),
            ("10.0.0.0/8:8080", "10.1.2.3:8080", true), ("10.0.0.0/8:8080", "10.1.2.3", false),
            ("*:8080", "h.example:8080", true), ("*:8080", "h.example", false), ("h.example:", "h.example:8080", true),
            ("h.example:http", "h.example", false), ("h.example:99999", "h.example:80", false),
            (":8080", "h.example:8080", false),
            ("a.test:1, *.intern.test b.test:2", "b.test:2", true),
        ])
    func exceptions(list: String, host: String, isException: Bool) throws {
        let environment = ProxyEnvironment(["http_proxy": "p:1", "no_proxy": list])
        #expect(try (environment?.proxy(for: HTTPURL("http://\(host)/")) == nil) == isException)
    }

    @Test("is not used for https if no_proxy has its usual port", arguments: [("h.example:443", true), ("h.example:80", false)])
    func usualPort(list: String, isException: Bool) throws {
        let environment = ProxyEnvironment(["https_proxy": "p:1", "NO_PROXY": list])
        #expect(try (environment?.proxy(for: HTTPURL("https://h.example/")) == nil) == isException)
    }

    @Test(
        "is named without its credentials",
        arguments: [
            ("p.example:3128", "p.example:3128"), ("http://user:secret@p.example:3128/", "p.example:3128"),
            ("socks5h://u:se@cret@[::1]:1080", "[::1]:1080"), ("user:secret@p", "p"), ("", ""),
            ("http://user:se#cret@p.example:3128", "p.example:3128"), ("http://user:se/cr?et@p.example:3128/", "p.example:3128"),
            ("http://user:se cret@p.example:3128", "p.example:3128"),
        ])
    func hosts(address: String, expected: String) { #expect(Proxy(source: "http_proxy", address: address).host == expected) }
}
