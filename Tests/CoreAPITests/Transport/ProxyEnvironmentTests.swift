import Testing

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
            (["all_proxy": "a", "ALL_PROXY": "b"], "http", "all_proxy"),
            (["no_proxy": "x"], "http", nil),
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
            ("*", "anything.example", true), ("*.example.com", "api.example.com", false), ("10.0.0.0/8", "10.1.2.3", true),
            ("10.0.0.0/8", "11.1.2.3", false), ("10.0.0.128/25", "10.0.0.127", false), ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "1.127.0.0.1.example", false), ("fe80::/10", "[fe80::1]", true), ("[::1]", "[::1]", true),
            ("::1", "[::2]", false), ("10.0.0.0/x", "10.0.0.0", false), ("10.0.0.0/99", "10.0.0.0", false),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("", "h.example", false), (",", "h.example", false),
        ])
    func exceptions(list: String, host: String, isException: Bool) throws {
        let environment = ProxyEnvironment(["http_proxy": "p:1", "no_proxy": list])
        #expect(try (environment?.proxy(for: HTTPURL("http://\(host)/")) == nil) == isException)
    }

    @Test(
        "is named without its credentials",
        arguments: [
            ("p.example:3128", "p.example:3128"), ("http://user:secret@p.example:3128/", "p.example:3128"),
            ("socks5h://u:se@cret@[::1]:1080", "[::1]:1080"), ("user:secret@p", "p"), ("", ""),
            ("http://user:se#cret@p.example:3128", "p.example:3128"), ("http://user:se/cr?et@p.example:3128/", "p.example:3128"),
            ("http://user:se cret@p.example:3128", "p.example:3128"),
        ])
    func hosts(address: String, expected: String) {
        #expect(Proxy(source: "http_proxy", address: address).host == expected)
    }
}
