import CoreAPI
import Foundation
import Testing

@Suite("Redaction hides")
struct RedactionTests {
    @Test(
        "the value after every secret name, in every form of text",
        arguments: [
            #"{"accessToken":"s3cret","page":1}"#, #"{"jwt":null,"password":"ab}s3cret","x":1}"#,
            #"{"secretNumber":-1,"session_id":"ab}s3cret","x":1}"#,
            #"{"a":true,"hasPassword":true,"password":"ab]s3cret","x":1}"#,
            #"{"expires_token":3600 , "name":"Q","refresh_token":"u]s3cret"}"#, #"{"pin":12;34,"name":"a]s3cret"}"#,
            #"token: a, "b}s3cret", c"#, #"{"access_token" : "s3cret", "page":1}"#, #"{"password": "s3\"cret s3cret", "page":1}"#,
            #"{"token": {"value": "s3cret", "more": ["s3cret"]}, "page":1}"#, #"{"escaped": "{\"token\":\"s3cret\"}", "page":1}"#,
            "token=s3cret&page=1", "grant_type=password&client_secret=s3cret", "Authorization: Bearer s3cret.s3cret.s3cret",
            "authorization: Basic czNjcmV0OnMzY3JldA==s3cret", "the header said Bearer s3cret-s3cret-s3cret and no more",
            "Cookie: sid=s3cret; theme=s3cret", "Set-Cookie: sid=s3cret; Path=/", "X-Api-Key: s3cret", "X-Session: s3cret",
            "Session: s3cret", "sid=s3cret", "{\"token\":\n \"s3cret\"}", "{\"token\"\n:\t\"s3cret\"}",
            "{\"token\"\r\n:\r\n[\"s3cret\"]}", "user[token]=s3cret&token[]=s3cret&auth%5Btoken%5D=s3cret",
            "{\"secretKey\": \"s3cret\", \"passwordHash\": \"s3cret\", \"tokens\": [\"s3cret\"]}",
            "pin=s3cret&otp=s3cret; X-Auth: s3cret", "<login><password>s3cret & s3cret</password></login>",
            "Authorization: Digest username=\"a\", response=\"s3cret\", nonce=\"s3cret\"",
            "WWW said Digest username=\"a\", response=\"s3cret\"", "Bearer\ts3crets3cret",
            "https://user:s3cret@h.example/ and //s3cret@h",
            "{\"outer\": \"{\\\"inner\\\": \\\"{\\\\\\\"token\\\\\\\": \\\\\\\"s3cret\\\\\\\"}\\\"}\"}",
            "/path;jsessionid=s3cret", #"{"apiKey": "s3cret"#, "api_key=s3cret", "'otp'=\nX-Api-Key: s3cret",
            "otp=X-Api-Key: s3cret", "otp=Authorization: Bearer s3cret", "pin=token=\"s3cret\"", #"[apiKey: "s3cret", page: 1]"#,
            #"["sessionId": "s3cret"]"#,
        ])
    func secrets(text: String) {
        let shown = Redaction().redact(text: text)
        #expect(!shown.contains("s3cret"), "\(shown)")
        #expect(shown.contains(Redaction.mask))
    }

    @Test(
        "and no other text",
        arguments: [
            #"{"page":1,"title":"a token of love","items":[1,2]}"#,
            "expected a status in 200…299, got 401",
            "basic needs are met",
            "expected it in Channel.dl(_:credentials:)",
            "https://h.example/a?page=1&q=%C3%A7",
        ])
    func rest(text: String) { #expect(Redaction().redact(text: text) == text) }

    @Test(
        "the secret members of JSON, and writes all others as they were",
        arguments: [
            (
                #"{"jwt":null,"tokens":3600 ,"hasPassword":true,"id":7,"pin":-1.5e3}"#,
                #"{"jwt":"<redacted>","tokens":"<redacted>","hasPassword":"<redacted>","id":7,"pin":"<redacted>"}"#
            ),
            (
                #"{"b": [1.50, null, {"token": {"a": [1]}}], "a": "\u00e9\n\"\u0001\\"}"#,
                #"{"b":[1.50,null,{"token":"<redacted>"}],"a":"é\n\"\u0001\\"}"#
            ),
            (#"{"card":{"number":"1","brand":"x"},"number":7}"#, #"{"card":{"number":"<redacted>","brand":"x"},"number":7}"#),
            (#"{"value":"x","name":"password","type":"y"}"#, #"{"value":"<redacted>","name":"password","type":"y"}"#),
            (#"{"url":"https://h/?token=x&page=1"}"#, #"{"url":"https://h/?token=<redacted>&page=1"}"#),
            (#"{"text":"{\"token\":\"x\"}","page":1}"#, #"{"text":"<redacted>","page":1}"#),
            (#"{"tok\u0065n":"x","zz/EN+12==":1,"n":123456}"#, #"{"token":"<redacted>","<redacted>":1,"n":"<redacted>"}"#),
            (#"[{"password":"x"},{"page":1}]"#, #"[{"password":"<redacted>"},{"page":1}]"#),
        ])
    func members(text: String, shown: String) {
        let redaction = Redaction().hiding(values: ["zz/EN+12==", "123456"])
        #expect(redaction.redact(text: text) == shown)
        #expect(redaction.redact(text: shown) == shown)
        #expect(redaction.redact(body: Data(text.utf8), type: nil) == shown)
    }

    @Test(
        "every body that is neither JSON nor a form, of which it shows the size and the media type",
        arguments: [
            ("hello", "text/plain; charset=utf-8", "<5 bytes of text/plain>"), ("hello", nil, "<5 bytes>"),
            ("<html><title>a</title></html>", "text/html", "<29 bytes of text/html>"), ("7", "application/json", nil),
            ("\"s3cret\"", "application/json", nil), (#"{"page":1"#, "application/json", nil), ("{'page':1}", "text/html", nil),
            ("page=1&a=b", "text/plain", nil), ("page=1\na=b", "application/x-www-form-urlencoded", nil),
            (#"{"page":"#, "application/x-www-form-urlencoded", nil), ("page=1\u{0}", "application/x-www-form-urlencoded", nil),
            ("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--", "multipart/form-data; boundary=b", nil),
            ("<page>1</page>", "application/xml", nil), (#"{"page":1}\#n{"page":2}"#, "application/x-ndjson", nil),
            ("", "a/b", nil),
        ] as [(String, String?, String?)])
    func otherBodies(text: String, type: String?, shown: String?) {
        let type = type.flatMap { MediaType($0) }
        let expected = shown ?? "<\(text.utf8.count) bytes of \(type?.essence ?? "")>"
        #expect(Redaction().redact(body: Data(text.utf8), type: type) == expected)
    }

    @Test("the secret items of a form, by its media type, and of a body of 1 MiB everything")
    func form() {
        let type = MediaType("application/x-www-form-urlencoded")
        let form = "page=1&code=x&a%5Btoken%5D=x&next=https%3A%2F%2Fh%2F%3Ftoken%3Dx&echo=tok%2FEN%2B12"
        let shown = Redaction().hiding(values: ["tok/EN+12"]).redact(body: Data(form.utf8), type: type)
        #expect(shown == "page=1&code=<redacted>&a%5Btoken%5D=<redacted>&next=<redacted>&echo=<redacted>")
        let json = #"{"page":1}"#
        #expect(Redaction().redact(body: Data(json.utf8), type: type) == json)
        let large = Data("[".utf8) + Data(repeating: 0x20, count: 1 << 20) + Data("]".utf8)
        #expect(Redaction().redact(body: large, type: nil) == "<1048578 bytes>")
    }

    @Test("nothing twice: what is hidden already stays as it is, and what stands beside it")
    func twice() {
        for text in [
            "at https://h/?token=x&page=1 failed: 7", #"near {"password":"x","page":1"#, "X-Api-Key: x",
            "//u:x@h/?a=1&code=x, then", "Bearer abcdefghijkl was rejected",
        ] {
            let shown = Redaction().redact(text: text)
            #expect(shown.contains(Redaction.mask) && Redaction().redact(text: shown) == shown, "\(shown)")
        }
        let excerpt = #"near {"password":"<redacted>","page":1"#
        #expect(Redaction().redact(text: excerpt) == excerpt)
        #expect(!Redaction().redact(text: #"near {"password":"<redacted>s3cret"}"#).contains("s3cret"))
    }

    @Test("the query items of an address, escaped names too")
    func address() throws {
        let url = try HTTPURL("https://h.example/a?api%5Fkey=s3cret&page=1&Token=s3cret")
        #expect(Redaction().redact(url: url) == "https://h.example/a?api%5Fkey=<redacted>&page=1&Token=<redacted>")
    }

    @Test(
        "secrets in a path and in values that are addresses or JSON themselves",
        arguments: [
            "https://h.example/a;jsessionid=s3cret?x=1", "https://h.example/?next=https%3A%2F%2Fx%2F%3Ftoken%3Ds3cret",
            "https://h.example/?f=%7B%22token%22%3A%22s3cret%22%7D", "https://h.example/?a=1;token=s3cret",
            "https://h.example/?user[token]=s3cret", "https://h.example/?user%5Btoken%5D=s3cret",
            "https://h.example/?token+=s3cret",
        ])
    func hiddenInAddress(text: String) throws {
        let shown = Redaction().redact(url: try HTTPURL(text))
        #expect(!shown.contains("s3cret"), "\(shown)")
    }

    @Test(
        "and leave the quotes of the sentence around an address",
        arguments: [
            ("'ftp://h/x?token=s3cret' is rejected", "'ftp://h/x?token=\(Redaction.mask)' is rejected"),
            ("expected http, found '/?pin=s3cret'.", "expected http, found '/?pin=\(Redaction.mask)'."),
            ("`token=s3'cret`, then", "`token=\(Redaction.mask)`, then"), ("token=s3cret'", "token=\(Redaction.mask)'"),
        ])
    func quotedAddress(text: String, shown: String) { #expect(Redaction().redact(text: text) == shown) }

    @Test(
        "a request's own secret in every spelling of JSON and of addresses",
        arguments: [
            #"{"message": "bad tok/EN+12=="}"#, #"{"message": "bad tok\/EN+12=="}"#, #"bad tok/EN\u002B12=="#,
            #"bad tok\/EN\u002b12\u003d="#, "echo=Bearer%20tok%2FEN%2b12%3D%3D", #"{\"a\": \"tok\\/EN\\u002B12==\"}"#,
        ])
    func spelled(text: String) {
        let shown = Redaction().hiding(values: ["tok/EN+12=="]).redact(text: text)
        #expect(!shown.contains("EN") && shown.contains(Redaction.mask), "\(shown)")
    }

    @Test("no text that only begins like a request's own secret")
    func almost() {
        let redaction = Redaction().hiding(values: ["tok/EN+12=="])
        for text in [#"tok\/EN+12="#, "tok%2FEN%2", #"tok\u002"#, #"tok\"#, "tok%", "tok/EN+13== 100%"] {
            #expect(redaction.redact(text: text) == text)
        }
    }

    @Test("names of every alphabet and with dots and spaces")
    func names() {
        let redaction = Redaction(["şifre", "card.number", "pin code"])
        let json = #"{"şifre":"s3cret","card.number":"s3cret","pin code":"s3cret","page":1}"#
        for text in [json, "şifre=s3cret", #"failed: "pin code": s3cret"#, "failed: " + json] {
            let shown = redaction.redact(text: text)
            #expect(!shown.contains("s3cret") && shown.contains(#""page":1"#) == (text == json), "\(shown)")
        }
    }

    @Test("the names that a channel adds")
    func added() {
        let redaction = Redaction(["X-Customer-Number"])
        #expect(redaction.hides("x-customer-number"))
        #expect(redaction.redact(text: "customerNumber=1, xCustomerNumber=7") == "customerNumber=1, xCustomerNumber=<redacted>")
    }

    @Test(
        "an element with a secret name and all text after it, for it is no text of a known form",
        arguments: [
            #"<token type="bearer">s3cret</token>"#, #"<x:accessToken xmlns:x="u">s3cret</x:accessToken>"#,
            "<password><![CDATA[s3cret]]></password>", "<password>\n  s3cret\n</password>",
            "<token><value>s3cret</value></token>", "<password><!-- x -->s3cret</password>", "<token>ge<b/>s3cret</token>",
            #"<token value="s3cret"/>"#, "<token><token>a</token>s3cret</token>", "<token>s3cret",
        ])
    func elements(text: String) { #expect(Redaction().redact(text: "failed: \(text)<id>7</id>") == "failed: <redacted>") }
}
