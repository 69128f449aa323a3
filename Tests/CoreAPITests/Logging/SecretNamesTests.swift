import CoreAPI
import Foundation
import TestSupport
import Testing

@testable import CoreAPICore

@Suite("A name tells whether its value is a secret")
struct SecretNamesTests {
    /// Hidden in every context.
    static let secrets = """
        Authorization Proxy-Authorization X-Auth-Token X-Auth-Key X-Auth authToken accessToken access_token ACCESS_TOKEN
        accesstoken refresh_token refreshtoken id_token idToken id_token_hint logout_token next_refresh_token nextAuthToken
        oauth_token OAuthToken oauth_token_secret oauth_verifier oauth_consumer_key oauth_signature client_secret clientSecret
        client_assertion assertion code_verifier device_code user_code authorization_code verificationCode smsCode
        recovery_codes otp totp mfa mfaCode 2fa_code otpCode SAMLResponse SAMLRequest SAMLart RelayState password newPassword
        passwordConfirmation passwd pwd user_pass pass passphrase passcode pin pinCode new_pin userPin password2 passwordHash
        secret secretKey secretURL X-Webhook-Secret credential credentials Cookie Set-Cookie sessionCookie X-Hub-Signature-256
        Stripe-Signature X-Shopify-Hmac-Sha256 signature sig hmac jwt userJWT session sessionId session_id sessionid
        JSESSIONID PHPSESSID ASPSESSIONIDQQABC connect.sid sid X-Session-Id apiKey APIkey api_key apikey X-Api-Key
        X-RapidAPI-Key api-key accessKey AWSAccessKeyId SecretAccessKey privateKey private_key PRIVATE-TOKEN
        Ocp-Apim-Subscription-Key x-functions-key AccountKey sharedAccessKey signingKey encryption_key licenseKey masterKey
        appkey authkey streamKey X-Key csrf _csrf csrfToken X-XSRF-TOKEN csrfmiddlewaretoken __RequestVerificationToken
        authenticity_token X-Amz-Signature X-Amz-Credential X-Amz-Security-Token X-Goog-Signature cardNumber card_number
        cardnumber ccnumber cc_num pan cvv cvv2 CVC csc cardCode security_code card[number] card.number payment[card][number]
        user[password] cardVerificationValue hapikey subject_token tokenizationKey private_key_pem X-Vault-Token
        X-Telegram-Bot-Api-Secret-Token tokens accessTokens bearer DPoP connectionString şifre
        X-Sign X-AUTH-SIGN CB-ACCESS-SIGN X-Ticket pass_phrase pass-phrase pass_word passwrd pswd privkey sess
        primaryAccountNumber hdnts ŞİFRE passwort senha contraseña motdepasse пароль
        userpwd dbpwd loginpwd dbpass userpass smsotp emailotp cardno xauthkey cardPan card_pan userPwd mypwd cardcvc
        iban IBAN debtorIban debtor_iban ibanNo iban_number bban accountNumber account_number accountnumber accountNo account_no
        bankAccount bank_account bankaccount bankAccountNumber acctNumber acct_no accNumber kontonummer kontoNr hesapNo
        hesapNumarasi account[number] dev_key devkey restKey accno apisig customerkey webkey storekey readkey
        """
    /// Shown in every context.
    static let harmless = """
        nextPageToken next_page_token nextpagetoken pageToken page_token continuationToken NextContinuationToken next_token
        NextToken syncToken nextSyncToken x-ms-continuation-token cursor max_tokens maxTokens prompt_tokens total_tokens
        completion_tokens cache_read_input_tokens tokens_used x-ratelimit-remaining-tokens tokens_per_minute token_type
        tokenType token_endpoint token_endpoint_auth_methods_supported tokenCount token_uri tokenExpiresIn tokenizer
        Access-Control-Allow-Credentials Access-Control-Allow-Headers Access-Control-Expose-Headers passwordPolicy
        passwordLength password_strength passwordChangedAt passwordRequired passwordless cookieConsent cookiePolicy
        cookiepolicy cookieDomain sessionTimeout session_count signatureAlgorithm oauth_signature_method signatureVersion
        authType auth_time authorizationUrl authorization_endpoint expires_in scope grant_type client_id code_challenge
        code_challenge_method statusCode countryCode postalCode zip_code errorCode promoCode barcode encode Idempotency-Key
        idempotencyKey publicKey public_key primaryKey sortKey partition_key cacheKey routingKey foreignKey messageKey hotkey
        keyword keywords keyboard monkey turkey hockey keyId kid keys Sec-WebSocket-Key Surrogate-Key author authority
        authorized authenticated unauthorized pinned pinnedAt spinner shipping compass bypass passenger passport passive
        passRate secretary opinion discard scorecard keyCode languageKey dedupeKey subject_token_type jwks_uri pins ETag
        Last-Event-ID X-Request-Id WWW-Authenticate signed inside cardType cardHolder card_brand creditLimit phoneNumber
        orderNumber X-Amz-SignedHeaders X-Amz-Algorithm X-Amz-Date state code key nonce title trespass overpass encompass casino
        domino piano kimono volcano pancake panel span japan company caliban ibanLength ibanFormat accountId account_id accounts
        accountName accountType accountNumberLength accountNumberLast4 sortCode sort_code bic swiftBic routingNumber
        appId app_id appName applicationId
        """

    @Test("A secret's name hides its value", arguments: secrets.split(whereSeparator: \.isWhitespace).map(String.init))
    func hides(name: String) { #expect(Redaction().hides(name)) }

    @Test(
        "A name that only resembles a secret's shows its value",
        arguments: harmless.split(whereSeparator: \.isWhitespace).map(String.init))
    func shows(name: String) { #expect(!Redaction().hides(name)) }

    @Test(
        "A query, a form and a redirect hide code, state, key, nonce and ticket; JSON, XML and prose show them",
        arguments: ["code", "state", "key", "nonce", "ticket", "oauth_state"])
    func inForms(name: String) throws {
        let redaction = Redaction()
        for text in [
            "\(name)=s3cret&page=1", "page=1&\(name)=s3cret", "https://h.example/cb?\(name)=s3cret", "app://cb#\(name)=s3cret",
            "Location: https://h.example/cb?page=1&\(name)=s3cret", "the callback \(name)=s3cret",
        ] { #expect(!redaction.redact(text: text).contains("s3cret"), "\(text)") }
        #expect(!redaction.redact(url: try HTTPURL("https://h.example/?\(name)=s3cret")).contains("s3cret"))
        #expect(!"\(QueryItem(name, "s3cret"))".contains("s3cret"))
        for text in [
            #"{"\#(name)":"shown"}"#, "<\(name)>shown</\(name)>", #"<error \#(name)="shown"/>"#, "\(name): shown",
        ] { #expect(redaction.redact(text: text) == text) }
    }

    @Test(
        "The id of an app is hidden in a query and a form, where it may be the key",
        arguments: ["appid", "APPID", "app_id", "appCode", "sign"])
    func appID(name: String) throws {
        let redaction = Redaction()
        for text in ["q=x&\(name)=s3cret", "https://h.example/w?\(name)=s3cret", "GET /w?q=x&\(name)=s3cret HTTP/1.1"] {
            #expect(!redaction.redact(text: text).contains("s3cret"), "\(text)")
        }
        #expect(!redaction.redact(url: try HTTPURL("https://h.example/w?\(name)=s3cret")).contains("s3cret"))
        let text = #"{"\#(name)":"shown"}"#
        #expect(redaction.redact(text: text) == text)
    }

    @Test(
        "A bank account is hidden under any name, with and without separators",
        arguments: [
            "DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19",
            "TR330006100519786457841326", "TR33 0006 1005 1978 6457 8413 26", "NO9386011117947", "de89370400440532013000",
            "MT84MALT011000012345MTLCAST001S", "FR14 2004 1010 0505 0001 3M02 606", "DE89-3704-0044-0532-0130-00",
            "DE89\u{A0}3704\u{A0}0044\u{A0}0532\u{A0}0130\u{A0}00", "CH93 0076 2011 6238 5295 7",
            "DE89.3704.0044.0532.0130.00", "DE89\u{2009}3704\u{2009}0044\u{2009}0532\u{2009}0130\u{2009}00",
            "DE 89 3704 0044 0532 0130 00",
        ])
    func bankAccounts(number: String) throws {
        let redaction = Redaction()
        let encoded = PercentEncoding.form(number)
        let texts = [
            #"{"to":"\#(number)","page":7}"#, "to=\(encoded)&page=7", "to=\(encoded.replacing("+", with: "%20"))&page=7",
            "the account \(number), page 7", "X-To: \(number) page 7", "<to>\(number)</to>page7",
            #""transfer\n\#(number)" page 7"#, "/accounts/\(PercentEncoding.component(number))/page7", "iban_\(number)/page 7",
            "(\(number)) page 7", "page 7 \(number)",
        ]
        for text in texts {
            let shown = redaction.redact(text: text)
            #expect(shown.contains(Redaction.mask) && shown.contains("7"), "\(text) \(shown)")
            for part in [number.suffix(6), number.suffix(12).prefix(6)] { #expect(!shown.contains(part), "\(text) \(shown)") }
        }
        let address = try HTTPURL("https://h.example/accounts/\(PercentEncoding.component(number))?to=\(encoded)&page=7")
        let shown = redaction.redact(url: address)
        #expect(!shown.contains(encoded.suffix(6)) && shown.hasSuffix("&page=7"), "\(shown)")
    }

    @Test(
        "Text that only resembles a bank account is shown",
        arguments: [
            "DE88370400440532013000", "DE8937040044053201300", "DE893704004405320130001", "XX89370400440532013000", "order DE89",
            "in 5 minutes", "IT60 of 100", "DE89 3704 0044", "ad0123456789abcdef012345", "GB29 is the first", "no 12 or 15",
            "de305d54-75b4-431b-adb2-eb6b9e546014",
        ])
    func noBankAccount(text: String) { #expect(Redaction().redact(text: text) == text) }

    @Test(
        "A sentence about authentication is shown",
        arguments: [
            "SSL: CA signature digest algorithm too weak (rc=1)", "Basic authentication is required",
            "BASIC AUTHENTICATION REQUIRED", "the server wants Basic authentication.",
            "expected the digest sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:, found",
            "digest e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 differs", "Digest authentication failed",
            "the digest calculated by the server", "message digest mismatch: expected 1",
            "Bearer authentication is not supported", "a bearer credential was expected", "Bearer authentication/authorization",
            "bearer token-based access", "basic requirements", "Basic Operations", "basic horizontal layout",
            "basic HTTP/1.1 server", "basic functionality/configuration", "Bearer authorization_uri=\"https://h.example/a\"",
            "Bearer error_description=\"the scope is missing\"", "WWW-Authenticate: Basic realm=\"a long realm\"",
        ])
    func prose(text: String) { #expect(Redaction().redact(text: text) == text) }

    @Test(
        "A credential in a sentence is hidden",
        arguments: [
            "sent Basic dXNlcjpzM2NyZXQ= and got 401", "sent Basic dXNlcjpzM2NyZXQ and got 401", "(Basic YTpi)", "basic dTpw.",
            "sent Basic eHh4eDp6b29v then", "Basic dXNlcjpzM2Ny", "the header Bearer s3cretlong was rejected",
            "Bearer AbCdEfGhIjKl is old", "rejected Bearer admin-token-prod", "Bearer my-access-key", "Bearer token-12345",
            "bearer abcdefghijkl", "bearer authentications3cret", "Bearer mF_9.B5f-4.1JqM",
            "Digest username=\"a\", response=\"s3cret\" was rejected", "digest realm=\"r\", nonce=\"s3cret\"",
            "Digest algorithm=MD5, username=\"a\", response=\"s3cret\"", "Digest response = \"s3cret\"",
            "Digest username*=UTF-8''a, cnonce=\"s3cret\"",
        ])
    func credentials(text: String) {
        let shown = Redaction().redact(text: text)
        #expect(shown.contains(Redaction.mask) && !shown.contains("s3cret"), "\(shown)")
        for secret in ["dXNl", "YTpi", "dTpw", "eHh4", "AbCd", "abcd", "mF_9"] { #expect(!shown.contains(secret), "\(shown)") }
    }

    @Test("A number in the prose of an error is shown")
    func numbersInProse() {
        let text = "Error Domain=NSCocoaErrorDomain Code=260, exit code=1 (key=7)"
        #expect(Redaction().redact(text: text) == text)
    }

    @Test("A channel chooses the shown names, and the names that it hides are always hidden")
    func channel() {
        let redaction = Redaction(["plate", "visitToken"], showing: ["bookToken", "visitToken", "X-Auth-Key"])
        #expect(redaction.hides("plate") && redaction.hides("visitToken") && redaction.hides("accessToken"))
        #expect(!redaction.hides("book_token") && !redaction.hides("x-auth-key"))
        #expect(
            redaction.redact(text: #"{"bookToken":"b","visit_token":"v"}"#) == #"{"bookToken":"b","visit_token":"<redacted>"}"#)
    }

    @Test(
        "The number of a card or an account is hidden inside its object, and no other number is",
        arguments: [
            #"{"account":{"number":"s3cret","sortCode":"7"},"order":{"number":"7"}}"#,
            #"{"bankAccount":{"number":"s3cret","bic":"7"},"order":{"number":"7"}}"#,
            #"{"debtorAccount":{"nr":"s3cret"},"order":{"number":"7"}}"#,
            #"{"card":{"number":"s3cret","type":"visa"},"order":{"number":"7"}}"#,
            #"{"creditCard":{"number":"s3cret"},"order":{"number":"7"}}"#,
            #"{"cards":[{"number":"s3cret","brand":"x"}],"order":{"number":"7"}}"#, #"card[number]=s3cret&order={"number":"7"}"#,
            #"card%5Bnumber%5D=s3cret&order={"number":"7"}"#, #"card.number=s3cret&order={"number":"7"}"#,
        ])
    func numbers(text: String) {
        let shown = Redaction().redact(text: text)
        #expect(!shown.contains("s3cret") && shown.contains(#"{"number":"7"}"#), "\(shown)")
    }

    @Test(
        "Text beside a secret is shown",
        arguments: [
            (#"[{"name":"password","value":"x"},{"name":"page","value":"7"}]"#, #"{"name":"page","value":"7"}"#),
            (#"failed: [{"token":"x"}] page 7"#, "failed: "), ("page 7: <token>x</token>", "page 7: "),
            (#"page 7, "password": x"#, #"page 7, "password": "#),
            ("code=x&page=7", "&page=7"), (#"{"cardDetails":{"number":"x","brand":"visa"},"n":7}"#, #""brand":"visa"},"n":7}"#),
            ("https://h.example/?next=%2Fa%3Fpage%3D7&code=x", "?next=%2Fa%3Fpage%3D7&"), ("otp=x&title=a%20b", "&title=a%20b"),
        ])
    func beside(text: String, rest: String) {
        let shown = Redaction().redact(text: text)
        #expect(shown.contains(rest) && shown.contains(Redaction.mask), "\(shown)")
    }

    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s3cret-s3cret"

    @Test(
        "A value in a credential's form is hidden under any name",
        arguments: [
            "title=\(jwt)&page=1", #"{"title":"\#(jwt)"}"#, "X-Title: \(jwt)", "/reset/\(jwt)/now", "https://h.example/?t=\(jwt)",
            "-----BEGIN RSA PRIVATE KEY-----\ns3cret\n-----END RSA PRIVATE KEY-----",
            #"{"title":"-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----"}"#,
            "-----BEGIN EC PRIVATE KEY-----\ns3cret",
            "title=Bearer s3cret-s3cret", "title=Bearer%20s3cret-s3cret", "postgres://user:s3cret@db.example/x",
            "next=https%3A%2F%2Fh.example%2Fcb%3Fcode%3Ds3cret&page=1",
            "next=https%253A%252F%252Fh.example%252F%253Ftoken%253Ds3cret",
            "/login/https%3A%2F%2Fh.example%2Fcb%3Fpage%3D1%26code%3Ds3cret", "api%5Fkey=s3cret",
            #"{"cb":"https:\/\/h.example\/?a=1\u0026code=s3cret"}"#, "?a=1&amp;code=s3cret",
            #"{"value":"s3cret","name":"password"}"#, #"{"name":"password","meta":{"a":1},"value":"s3cret"}"#,
            "Authorization=Bearer s3cretlong", "token=Bearer s3cretlong", #"{"url":"https:\/\/u:s3cret@h\/"}"#,
            #"<meta name="csrf-token" content="s3cret">"#, #"<input value="s3cret" name="authenticity_token">"#,
            "<key>password</key><string>s3cret</string>", "<name>password</name><value>s3cret</value>",
            "Content-Disposition: form-data; filename=\"a\"; name=\"password\"\r\n\r\ns3cret\r\n--b",
            #"{"name":"password","value":"s3cret"}"#, #"[{"key":"X-Api-Key","enabled":true,"value":"s3cret"}]"#,
            #"{"text":"{\"name\":\"password\",\"value\":\"s3cret\"}"}"#, #"<param name="password" value="s3cret"/>"#,
            "password: -----BEGIN X-----\ns3cret\n-----END X-----", "token=-----BEGIN X-----\ns3cret", "password => s3cret",
            #""password" => "s3cret""#, #"<saml:Assertion ID="1">s3cret</saml:Assertion>"#,
            "user%5Bpassword%5D=s3cret", "%5Btoken%5D=s3cret",
            "<pay><account><number>s3cret</number></account></pay>", #"<card type="visa"><number>s3cret</number></card>"#,
            #"failed: {"card":{"number":"s3cret"}}"#, #"failed: {"value":"s3cret","name":"password"}"#,
            #"failed: {"a":{"tok\u0065n":"s3cret"}}"#, "failed: {\"password\":\n\n\"s3cret\"}",
            "Content-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"a\"",
        ])
    func values(text: String) {
        let shown = Redaction().redact(text: text)
        #expect(!shown.contains("s3cret"), "\(shown)")
    }

    @Test(
        "Redaction takes linear time, for any repeated text",
        arguments: [
            "a=b%2525", "card:{", "a=b=", "eyJa.", "a[b].", "-----BEGIN PRIVATE KEY-----", "name=\"a\" ", "\"card\":[", "<card>",
            "x.y.z",
            "a=x\" ", "\"name\":\"password\",", "\\u0026a=", "a%3D", "password=>", "?a=x", "#a=%20", "<card ", "<card number=\"",
            "a/", "%C3%A9", "//a@", "DE89 3704 ", "DE89370400440532013000", "DE89-", "Digest nc=", "Basic a.", "Bearer a-",
        ])
    func time(piece: String) {
        func time(_ kilobytes: Int) -> Double {
            let text = String(repeating: piece, count: (kilobytes << 10) / piece.utf8.count)
            var (before, after) = (timespec(), timespec())
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
            _ = Redaction().redact(text: text)
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
            return Double(after.tv_sec - before.tv_sec) + Double(after.tv_nsec - before.tv_nsec) / 1e9
        }
        _ = time(4)
        let (short, long) = (time(8), time(64))
        #expect(long < 24 * short, "64 KiB took \(long) s, 8 KiB \(short) s")
    }

    @Test("The lines before and after a secret never reveal it", arguments: [1, 2, 3, 36] as [UInt64])
    func interimAndTrailers(seed: UInt64) {
        let pieces = [
            "\"", "'", "\\", "{", "}", "[", "]", ":", "=", "&", "%3D", "%5B", "%", " ", "<", ">", "/",
            "-----BEGIN PRIVATE KEY-----", "-----END ", "eyJ", ".", "name", "card", "number", "token", "password",
            "form-data; name=\"", "//", "@", "\\u0026", ";", "?", "#", ",", "(", ")", "é", "key", "code", "value", "Bearer ",
            "Digest ", "Basic ", "DE89 3704", "account", "iban", "\u{0}", "<card>", "</card>", "=>", "\\u0074", "saml", "JWTs",
        ]
        let secrets = [
            "Authorization: Bearer s3cret", "Cookie: sid=s3cret", "password=s3cret", #"{"token": "s3cret"}"#,
            "?access_token=s3cret&a=1", "GET https://user:s3cret@host.example/ HTTP/1.1", "<password>s3cret</password>",
            "X-Api-Key: s3cret", #"{\"secret\":\"s3cret\"}"#, #"{"card":{"number":"s3cret"}}"#, "/cb?code=s3cret",
            #"{"name":"password","value":"s3cret"}"#, "-----BEGIN PRIVATE KEY-----s3cret-----END PRIVATE KEY-----",
        ]
        var numbers = SplitMix(seed)
        for round in 0..<2_000 {
            func soup() -> String {
                (0..<Int.random(in: 0...12, using: &numbers)).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
            }
            let text = soup() + "\n" + secrets[round % secrets.count] + "\n" + soup()
            #expect(!Redaction().redact(text: text).contains("s3cret"), "\(text)")
        }
    }
}
