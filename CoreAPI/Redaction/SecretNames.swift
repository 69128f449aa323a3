internal import CoreAPIHTTP

/// The names of secrets, as data. In doubt a value is hidden, because a leaked credential is the worse mistake.
package enum SecretNames {
    /// Whether the value of this name is hidden. In a query or a form OAuth's `code` and `state` are secrets, too.
    package static func hide(_ name: some StringProtocol, inForm: Bool) -> Bool {
        let bytes = Array(name.utf8)
        // `APIKey` is `API` and `Key`, but `APIkey` is `API` and `key`.
        let (words, others) = (words(of: bytes, acronymTakesLast: false), words(of: bytes, acronymTakesLast: true))
        return isSecret(words, inForm: inForm) || others != words && isSecret(others, inForm: inForm)
    }

    /// Whether the value of this name may be a payment card or a bank account.
    package static func isCard(_ name: some StringProtocol) -> Bool {
        words(of: Array(name.utf8), acronymTakesLast: false).contains { cards.contains($0) || accounts.contains($0) }
    }

    /// Whether this name is the number of the card or account above it.
    package static func isNumber(_ name: String) -> Bool { ["number", "num", "no", "nr"].contains(name.lowercased()) }
    /// Whether a member of this name may name another one's secret: `{"name": "password", "value": …}`.
    static func isName(_ name: String) -> Bool { ["name", "key", "field", "header", "parameter"].contains(name.lowercased()) }
    /// Whether this name is that of the secret itself, beside ``isName(_:)``.
    static func isValue(_ name: String) -> Bool { ["value", "values", "string", "content"].contains(name.lowercased()) }

    private static func isSecret(_ words: [String], inForm: Bool) -> Bool {
        guard let last = words.last else { return false }
        // CORS (Fetch §3.2): names of fields, never their values.
        if words.starts(with: ["access", "control"]), words.count > 2, corsWords.contains(words[2]) { return false }
        let whole = words.joined()
        let pairs = zip(words, words.dropFirst()).map { "\($0) \($1)" }
        if exact.contains(whole) || inForm && exactInForm.contains(whole) || endings.contains(last) { return true }
        if let pair = pairs.last, endings.contains(pair) || inForm && endingsInForm.contains(pair) { return true }
        if inForm && endingsInForm.contains(last) || pairs.contains(where: alwaysPairs.contains) { return true }
        if last == "key", words.count > 1, !harmlessKeys.contains(words[words.count - 2]) { return true }
        guard words.count == 1 || !harmlessEnds.contains(last) else { return false }
        if words.contains(where: secrets.contains) || pairs.contains(where: secretPairs.contains) { return true }
        if last != "last", pairs.contains(where: numbers.contains) { return true }
        guard words.count == 1 || !mildEnds.contains(last) else { return false }
        return words.contains(where: mild.contains) || pairs.contains(where: keys.contains) || hasToken(words)
    }

    /// A token, but of no language model (`max_tokens`) and of no page (`nextPageToken`, unlike `nextAuthToken`).
    private static func hasToken(_ words: [String]) -> Bool {
        words.indices.contains { index in
            guard words[index] == "token" || words[index] == "tokens" else { return false }
            let before = words[..<index]
            if let owner = before.last, counts.contains(owner) { return false }
            let isPage =
                before.contains(where: paging.contains) && before.allSatisfy { paging.contains($0) || companions.contains($0) }
            return !(isPage && index == words.count - 1)
        }
    }

    private static func list(_ text: String) -> Set<String> { Set(text.words) }
    private static func bytes(_ text: String) -> [[UInt8]] { text.words.map { Array($0.utf8) } }

    private static func pairs(_ first: Set<String>, _ second: Set<String>) -> Set<String> {
        Set(first.flatMap { owner in second.map { "\(owner) \($0)" } })
    }

    /// Secret as the whole name, without separators.
    private static let exact = list(
        """
        relaystate wresult dpop connectionstring authentication xauthentication samlart samlresponse samlrequest
        socialsecuritynumber primaryaccountnumber trackdata pan ccn token tokens
        """
    ).union(secrets).union(mild)
    private static let corsWords = list("allow expose max request")
    /// OAuth's response by redirect (RFC 6749 §4.1.2), and ids of applications that some servers take as the key.
    private static let exactInForm = list("code key state appid applicationid appcode applicationcode sign")

    /// Secret anywhere in a name that has no harmless end.
    private static let secrets = list(
        """
        secret secrets password passwords passwd passwds pwd passphrase passphrases passcode passcodes otp otps totp hotp hmac
        apikey apikeys csrf xsrf cvv cvc csc bearer verifier mnemonic passkey passkeys sessionid sessid sess creds passwrd pswd
        privkey hdnts hdnea parola iban ibans bban clabe kontonummer hesapno hesapnumarasi hesapnumarası accno sifre şifre şi̇fre
        passwort senha contraseña contrasena motdepasse пароль
        """)
    private static let secretPairs = pairs(edges, carriers).union(pairs(codeOwners, ["code", "codes"]))
    /// Secret anywhere in a name, whatever its end.
    private static let alwaysPairs = pairs(["saml"], carriers).union(pairs(["seed", "recovery", "backup", "secret"], ["phrase"]))
        .union(pairs(cards, ["pan", "ccn"])).union(["pan number", "ccn number", "verification value"])
    private static let numbers = pairs(cards.union(accounts), ["number", "numbers", "num", "no", "nr"])
        .union(["cc number", "cc num", "cc no"])
    /// Secret anywhere in a name that has neither a harmless nor a mild end.
    private static let mild = list("authorization cookie cookies signature signatures credential credentials jwt jwts")
    private static let keys = pairs(keyOwners, ["key", "keys"])

    /// Secret as the last word or the last two.
    private static let endings = edges.union(pairs(signers, ["sign", "ticket"])).union(
        ["credit card", "credit cards", "debit card", "debit cards", "bank account"])
    private static let endingsInForm = pairs(["auth", "oauth", "session", "login", "relay"], ["state"]).union(["nonce", "ticket"])
    private static let edges = list("auth session sid sig pin pass mfa assertion ssn pw")
    private static let signers = list("x auth access api request")
    /// After a word of ``edges``.
    private static let carriers = list(
        """
        id ids uid uuid guid identifier handle key code value hash data string header number no blob raw text plain encrypted
        encoded new old block response request art artifact assertion confirm confirmation
        """)
    private static let cards = list("card cards")
    /// A bank's sort code, BIC and routing number name the bank, and are shown.
    private static let accounts = list("account accounts acct acc konto")
    /// Before a `code`.
    private static let codeOwners = list(
        """
        verification verify authorization auth authentication authenticator oauth device user security access activation
        confirmation confirm recovery backup reset login signin sms email pin pass mfa otp totp fa factor time grant exchange card
        unlock pairing invitation
        """)
    /// Before a `key` anywhere in a name.
    private static let keyOwners = list(
        """
        api app application access private secret auth authentication authorization shared account signing signature encryption
        decryption encrypt decrypt crypto cipher aes rsa hmac ssh pgp gpg subscription function functions license licence master
        server client consumer session user admin root service deploy deployment developer device integration storage merchant
        partner security symmetric wrapping activation registration recovery backup instrumentation write ingestion stream webhook
        wifi psk dev rest customer store web read seed wallet pass token bot tenant org workspace maps
        """)
    /// Before a harmless `key` at the end of a name.
    private static let harmlessKeys = list(
        """
        idempotency idempotence public publishable site primary foreign sort sorting order partition cache routing object message
        row map translation search group unique hot range hash lookup registry dictionary dict json property field column
        attribute header param parameter query index item element entry record node tree bucket file image document i18n n locale
        label text name title error event metric feature flag setting option issue project space board parent child natural
        business surrogate candidate composite compound secondary alternate join merge dedup deduplication shard cluster entity
        resource topic placeholder shortcut arrow enter escape tab control modifier command meta shift any default last first next
        previous start end evaluated min max correlation request response answer question socket websocket category template
        component type kind module page section slot theme style color icon asset media content path coding value data host
        variable config sub status state id array log metadata pagination paging cursor aggregation dedupe grouping distribution
        clustering mapping menu screen widget view button step language country region currency score bundle package preference
        string integer
        """)
    /// The last words of names that tell about a secret.
    private static let harmlessEnds = list(
        """
        policy policies length lengths type types count counts counter expiry expires expire expired expiration timeout lifetime
        ttl duration age algorithm algorithms alg method methods consent consents required requirement requirements enabled
        disabled allowed supported valid invalid exists present missing status format version limit limits min max minimum maximum
        strength score rule rules created updated issued changed change modified revoked issuer audience scope scopes schema size
        usage used remaining budget rate class kind banner setting settings preference preferences options set in at on until
        since placeholder label title description error errors attempt attempts retries day days hour hours minute minutes second
        seconds time date timestamp complexity visible level optional index position offset pattern regex validation reused
        """)
    private static let mildEnds = list(
        """
        name names url uri urls endpoint endpoints server servers domain path address symbol decimals balance price supply
        provider model jar location details state network standard
        """)
    private static let paging = list(
        "next page paging pagination prev previous continuation continue sync cursor skip delta scroll")
    private static let companions = list(
        """
        x ms has new start starting last first current initial list result results item items change changes history event events
        search
        """)
    /// Before the `tokens` of a language model.
    private static let counts = list(
        """
        max min maximum minimum prompt total completion input output cached reasoning thinking used remaining num count n text
        image audio video prediction generated consumed ratelimit limit available context estimated average eos bos pad unk sep
        mask stop special
        """)

    /// Secret within a word of other letters.
    private static let stems = bytes(
        """
        token secret password passwd passphrase passcode credential authorization cookie signature apikey privatekey accesskey
        sessionid phpsess jwt csrf xsrf cardnumber
        """)
    /// Only a word with one of these is split.
    private static let risks = bytes(
        """
        token key code card auth session pass pin num secret pwd otp cvv cvc hmac iban account acct sig credential cookie phpsess
        jwt csrf xsrf
        """)
    /// Secret at the end of a word of other letters: `userpwd`, `smsotp`, `dbpass`.
    private static let wordEnds = ["pwd", "otp", "cvv", "cvc", "pass", "authkey", "hmac"]
    /// The beginnings of harmless words that contain one of these.
    private static let innocent = [
        "secretar", "tokeniz", "tokenis", "passwordless", "cookieless", "compass", "bypass", "trespass", "overpass", "underpass",
        "surpass", "encompass",
    ]
    /// The parts of compounds in lower case.
    private static let vocabulary: Set<Substring> = {
        let all: [Set<String>] = [
            secrets, mild, edges, carriers, harmlessEnds, mildEnds, paging, counts, keyOwners, harmlessKeys, codeOwners, cards,
            accounts, list("token tokens key keys code codes refresh oauth number credit debit bank"),
        ]
        return Set(all.joined().filter { $0.utf8.count > 2 }.map { $0[...] }).union(["id", "cc", "no"])
    }()

    /// Splits at everything but letters and at the humps of camel case; in lower case. `acronymTakesLast` says whether `APIkey`
    /// is `API` and `key`, rather than `AP` and `Ikey`.
    private static func words(of bytes: [UInt8], acronymTakesLast: Bool) -> [String] {
        var words: [ArraySlice<UInt8>] = []
        var start = 0
        for index in 0...bytes.count {
            let isLetter = index < bytes.count && (bytes[index].isLetter || bytes[index] >= 0x80)
            if isLetter, !startsWord(bytes, index, since: start, acronymTakesLast) { continue }
            if index > start { words.append(bytes[start..<index]) }
            start = isLetter ? index : index + 1
        }
        return words.flatMap { parts(of: String(decoding: $0, as: UTF8.self).lowercased()) }
    }

    private static func startsWord(_ bytes: [UInt8], _ index: Int, since start: Int, _ acronymTakesLast: Bool) -> Bool {
        guard index > start else { return false }
        let isSmallNext = index + 1 < bytes.count && bytes[index + 1].isSmall
        // The `s` of `JWTs` begins no word.
        func isPlural(_ index: Int) -> Bool {
            index < bytes.count && bytes[index] == UInt8(ascii: "s") && !(index + 1 < bytes.count && bytes[index + 1].isSmall)
        }
        guard bytes[index].isCapital else {
            return acronymTakesLast && bytes[index - 1].isCapital && index - start > 1 && !isPlural(index)
        }
        return !bytes[index - 1].isCapital || isSmallNext && !isPlural(index + 1) && !acronymTakesLast
    }

    /// The listed words of a compound such as `accesstoken`; `secret` for one with a stem; else the word.
    private static func parts(of word: String) -> [String] {
        let bytes = Array(word.utf8)
        guard bytes.count > 4, risks.contains(where: bytes.holds), !vocabulary.contains(word[...]),
            !innocent.contains(where: word.hasPrefix)
        else { return [word] }
        if bytes.count <= 32, let parts = compound(word[...]) { return parts.map(String.init) }
        let isSecret = stems.contains(where: bytes.holds) || wordEnds.contains(where: word.hasSuffix)
        return [isSecret ? "secret" : word]
    }

    /// Splits from the right, longest words first; `nil` if letters remain.
    private static func compound(_ word: Substring) -> [Substring]? {
        if word.isEmpty { return [] }
        for start in word.indices where vocabulary.contains(word[start...]) {
            if let before = compound(word[..<start]) { return before + [word[start...]] }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isSmall: Bool { isLetter && !isCapital }
}

extension [UInt8] {
    fileprivate func holds(_ wanted: [UInt8]) -> Bool {
        indices.dropLast(Swift.max(0, wanted.count - 1)).contains { self[$0] == wanted[0] && self[$0...].starts(with: wanted) }
    }
}
