internal import CoreAPIHTTP

/// Decides by the words of a name whether its value is a secret.
///
/// A word such as `token` hides the value, unless a harmless last word follows (`tokenCount`) or paging or counting words precede
/// (`nextPageToken`, `max_tokens`). In doubt the value is hidden, because a leaked credential is the worse mistake.
package struct SecretNames {
    private let words: [String]

    private init(words: [String]) {
        self.words = words.flatMap(Self.parts)
    }

    /// - Parameters:
    ///   - name: of a header field, a query item, a key of JSON, an element of XML. Dots and brackets separate words, as `_`
    ///     does.
    ///   - inForm: whether it belongs to a query or a form, in which OAuth's `code` and `state` are secrets.
    package static func hide(_ name: some StringProtocol, inForm: Bool) -> Bool {
        let bytes = Array(name.utf8)
        let (words, isAmbiguous) = words(of: bytes, acronymTakesLast: false)
        if SecretNames(words: words).isSecret(inForm: inForm) { return true }
        // `APIKey` is `API` and `Key`, but `APIkey` is `API` and `key`.
        return isAmbiguous && SecretNames(words: Self.words(of: bytes, acronymTakesLast: true).words).isSecret(inForm: inForm)
    }

    /// Whether the value of this name may be a payment card or a bank account.
    package static func isCard(_ name: some StringProtocol) -> Bool {
        SecretNames(words: words(of: Array(name.utf8), acronymTakesLast: false).words).words.contains {
            cards.contains($0) || accounts.contains($0)
        }
    }

    /// Whether this name is the number of the card or account above it.
    package static func isNumber(_ name: some StringProtocol) -> Bool {
        ["number", "num", "no", "nr"].contains(name.lowercased())
    }

    // MARK: - Rules

    private func isSecret(inForm: Bool) -> Bool {
        guard let last = words.last else { return false }
        // CORS (Fetch §3.2): names of fields, never their values.
        if words.count > 2, words[0] == "access", words[1] == "control", ["allow", "expose", "max", "request"].contains(words[2])
        {
            return false
        }
        let whole = words.joined()
        if Self.wholeNames.contains(whole) || Self.secrets.contains(whole) { return true }
        // `X-Sign`, `ACCESS-SIGN`: a signature.
        if last == "sign" || last == "ticket", words.count > 1, Self.signers.contains(words[words.count - 2]) { return true }
        if inForm, isSecretInForm(last) || Self.wholeNamesInForm.contains(whole) { return true }
        return words.indices.contains { isSecret(at: $0, last: last) }
    }

    /// OAuth's and OpenID's responses by redirect (RFC 6749 §4.1.2), CAS's ticket, and the `key` of many an API.
    private func isSecretInForm(_ last: String) -> Bool {
        switch last {
        case "code", "key": words.count == 1
        case "state": words.count == 1 || Self.stateOwners.contains(words[words.count - 2])
        case "nonce", "ticket": true
        default: false
        }
    }

    private func isSecret(at index: Int, last: String) -> Bool {
        let word = words[index]
        let before = index > 0 ? words[index - 1] : nil
        let next = index + 1 < words.count ? words[index + 1] : nil
        let isHarmless = next != nil && Self.harmlessEnds.contains(last)
        let isMild = isHarmless || next != nil && Self.mildEnds.contains(last)
        switch word {
        case "token", "tokens":
            if let before, Self.counts.contains(before) { return false }
            return !isMild && !(next == nil && isPaging(before: index))
        case _ where Self.secrets.contains(word): return !isHarmless
        case _ where Self.mildSecrets.contains(word): return !isMild
        case _ where Self.edges.contains(word): return next.map { Self.carriers.contains($0) && !isHarmless } ?? true
        case "saml": return next.map(Self.carriers.contains) == true
        case "pan", "ccn": return words.count == 1 || next == "number" || before.map(Self.cards.contains) == true
        case "key", "keys":
            guard let before else { return false }
            if Self.keyOwners.contains(before) { return !isMild }
            return word == "key" && next == nil && !Self.harmlessKeys.contains(before)
        case "code", "codes": return before.map(Self.codeOwners.contains) == true && !isHarmless
        case "verification": return next == "value"
        case "phrase": return before.map(["seed", "recovery", "backup", "secret"].contains) == true
        case _ where Self.cards.contains(word):
            if let next, ["number", "numbers", "num", "no", "nr"].contains(next) { return !isHarmless && last != "last" }
            return next == nil && before.map(["credit", "debit"].contains) == true
        case _ where Self.accounts.contains(word):
            if let next, ["number", "numbers", "num", "no", "nr"].contains(next) { return !isHarmless && last != "last" }
            return next == nil && word == "account" && before == "bank"
        case "cc": return next.map(["number", "num", "no"].contains) == true && !isHarmless && last != "last"
        default: return false
        }
    }

    /// `nextPageToken`, but not `nextAuthToken`.
    private func isPaging(before index: Int) -> Bool {
        words[..<index].contains(where: Self.paging.contains)
            && words[..<index].allSatisfy { Self.paging.contains($0) || Self.pagingCompanions.contains($0) }
    }

    // MARK: - Words

    /// Hide their value unless one of ``harmlessEnds`` follows.
    private static let secrets: Set<String> = [
        "secret", "secrets", "password", "passwords", "passwd", "passwds", "pwd", "passphrase", "passphrases", "passcode",
        "passcodes", "otp", "otps", "totp", "hotp", "hmac", "apikey", "apikeys", "csrf", "xsrf", "cvv", "cvc", "csc", "bearer",
        "verifier", "mnemonic", "passkey", "passkeys", "sessionid", "sessid", "sess", "creds", "passwrd", "pswd", "privkey",
        "hdnts", "hdnea", "parola", "iban", "ibans", "bban", "clabe", "kontonummer", "hesapno", "hesapnumarasi", "hesapnumarası",
        "accno",
        "sifre", "şifre", "şi̇fre", "passwort", "senha", "contraseña", "contrasena", "motdepasse", "пароль",
    ]
    /// Hide their value unless one of ``harmlessEnds`` or ``mildEnds`` follows.
    private static let mildSecrets: Set<String> = [
        "authorization", "cookie", "cookies", "signature", "signatures", "credential", "credentials", "jwt", "jwts",
    ]
    /// Hide their value as the last word, and before one of ``carriers``.
    private static let edges: Set<String> = [
        "auth", "session", "sid", "sig", "pin", "pass", "mfa", "assertion", "ssn", "pw",
    ]
    private static let carriers: Set<String> = [
        "id", "ids", "uid", "uuid", "guid", "identifier", "handle", "key", "code", "value", "hash", "data", "string", "header",
        "number", "no", "blob", "raw", "text", "plain", "encrypted", "encoded", "new", "old", "block", "response", "request",
        "art",
        "artifact", "assertion", "confirm", "confirmation",
    ]
    /// The whole name, without separators.
    private static let wholeNames: Set<String> = [
        "relaystate", "wresult", "dpop", "connectionstring", "authentication", "xauthentication", "samlart", "samlresponse",
        "samlrequest", "socialsecuritynumber", "primaryaccountnumber", "trackdata",
    ]
    /// Ids of applications, which some servers take as the key, `?appid=`, and signatures. Elsewhere they are harmless words.
    private static let wholeNamesInForm: Set<String> = ["appid", "applicationid", "appcode", "applicationcode", "sign"]
    private static let signers: Set<String> = ["x", "auth", "access", "api", "request"]
    private static let harmlessEnds: Set<String> = [
        "policy", "policies", "length", "lengths", "type", "types", "count", "counts", "counter", "expiry", "expires", "expire",
        "expired", "expiration", "timeout", "lifetime", "ttl", "duration", "age", "algorithm", "algorithms", "alg", "method",
        "methods", "consent", "consents", "required", "requirement", "requirements", "enabled", "disabled", "allowed",
        "supported",
        "valid", "invalid", "exists", "present", "missing", "status", "format", "version", "limit", "limits", "min", "max",
        "minimum",
        "maximum", "strength", "score", "rule", "rules", "created", "updated", "issued", "changed", "change", "modified",
        "revoked",
        "issuer", "audience", "scope", "scopes", "schema", "size", "usage", "used", "remaining", "budget", "rate", "class",
        "kind",
        "banner", "setting", "settings", "preference", "preferences", "options", "set", "in", "at", "on", "until", "since",
        "placeholder", "label", "title", "description", "error", "errors", "attempt", "attempts", "retries", "day", "days",
        "hour",
        "hours", "minute", "minutes", "second", "seconds", "time", "date", "timestamp", "complexity", "visible", "level",
        "optional",
        "index", "position", "offset", "pattern", "regex", "validation", "reused",
    ]
    private static let mildEnds: Set<String> = [
        "name", "names", "url", "uri", "urls", "endpoint", "endpoints", "server", "servers", "domain", "path", "address",
        "symbol",
        "decimals", "balance", "price", "supply", "provider", "model", "jar", "location", "details", "state", "network",
        "standard",
    ]
    private static let paging: Set<String> = [
        "next", "page", "paging", "pagination", "prev", "previous", "continuation", "continue", "sync", "cursor", "skip", "delta",
        "scroll",
    ]
    private static let pagingCompanions: Set<String> = [
        "x", "ms", "has", "new", "start", "starting", "last", "first", "current", "initial", "list", "result", "results", "item",
        "items",
        "change", "changes", "history", "event", "events", "search",
    ]
    /// Before `token` or `tokens` of a language model.
    private static let counts: Set<String> = [
        "max", "min", "maximum", "minimum", "prompt", "total", "completion", "input", "output", "cached", "reasoning", "thinking",
        "used", "remaining", "num", "count", "n", "text", "image", "audio", "video", "prediction", "generated", "consumed",
        "ratelimit",
        "limit", "available", "context", "estimated", "average", "eos", "bos", "pad", "unk", "sep", "mask", "stop", "special",
    ]
    /// Words that make a `key` a secret in any position.
    private static let keyOwners: Set<String> = [
        "api", "app", "application", "access", "private", "secret", "auth", "authentication", "authorization", "shared",
        "account",
        "signing", "signature", "encryption", "decryption", "encrypt", "decrypt", "crypto", "cipher", "aes", "rsa", "hmac", "ssh",
        "pgp",
        "gpg", "subscription", "function", "functions", "license", "licence", "master", "server", "client", "consumer", "session",
        "user", "admin", "root", "service", "deploy", "deployment", "developer", "device", "integration", "storage", "merchant",
        "partner",
        "security", "symmetric", "wrapping", "activation", "registration", "recovery", "backup", "instrumentation", "write",
        "ingestion",
        "stream", "webhook", "wifi", "psk", "dev", "rest", "customer", "store", "web", "read", "seed", "wallet", "pass",
        "token", "bot", "tenant", "org", "workspace",
        "maps",
    ]
    /// Words that make a last word `key` harmless.
    private static let harmlessKeys: Set<String> = [
        "idempotency", "idempotence", "public", "publishable", "site", "primary", "foreign", "sort", "sorting", "order",
        "partition",
        "cache", "routing", "object", "message", "row", "map", "translation", "search", "group", "unique", "hot", "range", "hash",
        "lookup",
        "registry", "dictionary", "dict", "json", "property", "field", "column", "attribute", "header", "param", "parameter",
        "query",
        "index", "item", "element", "entry", "record", "node", "tree", "bucket", "file", "image", "document", "i18n", "n",
        "locale", "label",
        "text", "name", "title", "error", "event", "metric", "feature", "flag", "setting", "option", "issue", "project", "space",
        "board",
        "parent", "child", "natural", "business", "surrogate", "candidate", "composite", "compound", "secondary", "alternate",
        "join",
        "merge", "dedup", "deduplication", "shard", "cluster", "entity", "resource", "topic", "placeholder", "shortcut", "arrow",
        "enter", "escape", "tab", "control", "modifier", "command", "meta", "shift", "any", "default", "last", "first", "next",
        "previous",
        "start", "end", "evaluated", "min", "max", "correlation", "request", "response", "answer", "question", "socket",
        "websocket",
        "category", "template", "component", "type", "kind", "module", "page", "section", "slot", "theme", "style", "color",
        "icon", "asset",
        "media", "content", "path", "coding", "value", "data", "host", "variable", "config", "sub", "status", "state", "id",
        "array",
        "log", "metadata", "pagination", "paging", "cursor", "aggregation", "dedupe", "grouping", "distribution", "clustering",
        "mapping", "menu", "screen", "widget", "view", "button",
        "step", "language", "country", "region", "currency", "score", "bundle", "package", "preference", "string",
        "integer",
    ]
    /// Words that make a `code` a secret in any position.
    private static let codeOwners: Set<String> = [
        "verification", "verify", "authorization", "auth", "authentication", "authenticator", "oauth", "device", "user",
        "security",
        "access", "activation", "confirmation", "confirm", "recovery", "backup", "reset", "login", "signin", "sms", "email",
        "pin", "pass",
        "mfa", "otp", "totp", "fa", "factor", "time", "grant", "exchange", "card", "unlock", "pairing", "invitation",
    ]
    private static let stateOwners: Set<String> = ["auth", "oauth", "oauth2", "session", "login", "relay"]
    private static let cards: Set<String> = ["card", "cards"]
    /// Of a bank, if a number follows. Its sort code, BIC and routing number name the bank, and are shown.
    private static let accounts: Set<String> = ["account", "accounts", "acct", "acc", "konto"]

    /// Searched within words that are neither listed nor compounds of listed words.
    private static let stems: [[UInt8]] = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "credential", "authorization", "cookie", "signature",
        "apikey",
        "privatekey", "accesskey", "sessionid", "phpsess", "jwt", "csrf", "xsrf", "cardnumber",
    ].map { Array($0.utf8) }
    /// Short words for a secret, searched at the end of a word.
    private static let endings = ["pwd", "otp", "cvv", "cvc", "pass", "authkey", "hmac"]
    /// Beginnings of words that contain a stem or an ending but no secret.
    private static let innocent = [
        "secretar", "tokeniz", "tokenis", "passwordless", "cookieless", "compass", "bypass", "trespass", "overpass", "underpass",
        "surpass", "encompass",
    ]

    /// The parts of lower-case compounds such as `accesstoken`.
    private static let vocabulary: Set<String> = {
        let all = secrets.union(mildSecrets).union(edges).union(carriers).union(harmlessEnds).union(mildEnds).union(paging)
            .union(counts).union(keyOwners).union(harmlessKeys).union(codeOwners).union(cards).union(accounts)
            .union([
                "token", "tokens", "key", "keys", "code", "codes", "refresh", "oauth", "number", "credit", "debit", "bearer",
                "bank",
            ])
        return all.filter { $0.utf8.count > 2 }.union(["id", "cc", "no"])
    }()
    /// Only a compound with one of these is split.
    private static let risks: [[UInt8]] =
        [
            "token", "key", "code", "card", "auth", "session", "pass", "pin", "number", "num", "secret", "pwd", "otp", "cvv",
            "cvc", "hmac", "iban", "account", "acct", "sig",
        ]
        .map { Array($0.utf8) } + stems

    /// Splits at `-`, `_`, dots, brackets, digits and the humps of camel case; in lower case.
    ///
    /// - Parameter acronymTakesLast: whether `APIkey` is `API` and `key`, rather than `AP` and `Ikey`.
    /// - Returns: the words, and whether the parameter makes a difference.
    private static func words(of bytes: [UInt8], acronymTakesLast: Bool) -> (words: [String], isAmbiguous: Bool) {
        var words: [String] = []
        var word: [UInt8] = []
        var isAmbiguous = false
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self).lowercased()) }
            word = []
        }
        for (index, byte) in bytes.enumerated() {
            guard byte.isLetter || byte >= 0x80 else {
                end()
                continue
            }
            let previous = index > 0 ? bytes[index - 1] : 0
            let isAfterCapital = previous.isCapital
            if byte.isCapital {
                let isBeforeSmall = index + 1 < bytes.count && bytes[index + 1].isSmall
                // The `s` of `JWTs` does not begin a word.
                let isPlural =
                    isBeforeSmall && bytes[index + 1] == UInt8(ascii: "s")
                    && !(index + 2 < bytes.count && bytes[index + 2].isSmall)
                if !isAfterCapital || isBeforeSmall && !isPlural && !acronymTakesLast { end() }
            } else if isAfterCapital, word.count > 1 {
                isAmbiguous = true
                if acronymTakesLast, !(byte == UInt8(ascii: "s") && !(index + 1 < bytes.count && bytes[index + 1].isSmall)) {
                    end()
                }
            } else if isAfterCapital, index > 1, bytes[index - 2].isCapital {
                isAmbiguous = true
            }
            word.append(byte)
        }
        end()
        return (words, isAmbiguous)
    }

    /// The words of a compound, else the stem within it, else the word itself.
    private static func parts(of word: String) -> [String] {
        let bytes = Array(word.utf8)
        guard bytes.count > 4, !vocabulary.contains(word), risks.contains(where: bytes.holds),
            !innocent.contains(where: word.hasPrefix)
        else { return [word] }
        if bytes.count <= 32, let parts = compound(bytes) { return parts }
        if stems.contains(where: bytes.holds) { return ["secret"] }
        // `userpwd`, `smsotp`, `dbpass`
        return Self.endings.contains(where: word.hasSuffix) ? ["secret"] : [word]
    }

    /// Splits from the right, longest words first, if every byte belongs to a word.
    private static func compound(_ bytes: [UInt8]) -> [String]? {
        // For each offset, the start of the last word before it.
        var ways = [Int?](repeating: nil, count: bytes.count + 1)
        ways[0] = 0
        for end in 1...bytes.count {
            ways[end] = (0..<end).first { start in
                ways[start] != nil && vocabulary.contains(String(decoding: bytes[start..<end], as: UTF8.self))
            }
        }
        guard ways[bytes.count] != nil else { return nil }
        var parts: [String] = []
        var end = bytes.count
        while end > 0, let start = ways[end] {
            parts.append(String(decoding: bytes[start..<end], as: UTF8.self))
            end = start
        }
        return parts.reversed()
    }
}

extension UInt8 {
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isSmall: Bool { isLetter && !isCapital }
}

extension [UInt8] {
    /// Whether these bytes contain the others.
    func holds(_ wanted: [UInt8]) -> Bool {
        guard count >= wanted.count else { return false }
        return (0...(count - wanted.count)).contains { start in
            var index = 0
            while index < wanted.count, self[start + index] == wanted[index] { index += 1 }
            return index == wanted.count
        }
    }
}
