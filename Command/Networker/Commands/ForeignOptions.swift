import ArgumentParser
import CoreAPI
import CoreAPIHTTP

/// The options of curl 8.14 and HTTPie 3.2 that the command has not, by what they mean, with what serves instead.
///
/// ArgumentParser suggests the option with the most similar letters, such as `--curl` for `--cert`.
enum ForeignOptions {
    /// The text of an error, and advice about the unknown option in it.
    ///
    /// - Parameters:
    ///   - failure: the text, such as `Unknown option '--location'. Did you mean '--auth'?`.
    ///   - arguments: those of the process; they name the subcommand.
    static func advised(_ failure: String, to arguments: [String]) -> (failure: String, hint: String?) {
        guard let rest = failure.after("Unknown option '"), let (option, suggestion) = rest.split(atFirst: "'") else {
            return (failure, nil)
        }
        let command = RootCommand.subcommand(of: arguments)
        if let advice = advice(about: String(option)) {
            let known = Set(command.helpMessage(columns: 1_000).matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
            let isHere = advice.matches(of: /--[a-z][a-z-]*/).allSatisfy { known.contains(String($0.output)) }
            let hint =
                isHere || advice.utf8.first == UInt8(ascii: "'") ? advice : "for '\(CommandSetup.current.name) call': \(advice)"
            return ("Unknown option '\(option)'", hint)
        }
        // A suggestion of other letters than a typing error's is of no use.
        let meant = suggestion.after(". Did you mean '--").map { String($0.before(anyOf: "'")) }
        let isTypo = meant.map { [$0].nearest(to: String(option.after("--") ?? option)) != nil } ?? true
        return (isTypo ? failure : "Unknown option '\(option)'", nil)
    }

    /// Advice about an option; `nil` for one of neither program.
    ///
    /// - Parameter option: with its hyphens. Of `-sSL`, the first letter counts.
    static func advice(about option: String) -> String? {
        if option.after("--") != nil {
            if let advice = table[option] { return advice }
            return option.after("--no-").flatMap { table["--\($0)"] } == nil
                ? nil : "no option has a form with '--no-'; leave the option out"
        }
        return table[String(option.unicodeScalars.prefix(2).map(Character.init))]
    }

    private static let table: [String: String] = groups.reduce(into: [:]) { table, group in
        for name in group.options.split(separator: " ") { table[String(name)] = group.advice }
    }

    private static let groups: [(options: String, advice: String)] = [
        // The request.
        ("-X --request", "write the method before the address: PUT example.com/books/1"),
        ("-I --head", "write HEAD before the address"),
        ("-G --get", "write GET before the address; name=value then goes into its query"),
        ("--url", "write the address without an option"),
        ("--url-query", "name==value goes into the query"),
        ("-g --globoff", "an address is taken as it is: braces and brackets have no meaning in it"),
        ("--path-as-is --request-target", "dot segments are resolved, and the rest of the address is sent as it is"),
        ("--default-scheme --proto --proto-default", "write http:// or https:// before the address"),
        ("-A --user-agent", "a header is an item: User-Agent:name"),
        ("-e --referer", "a header is an item: Referer:address"),
        ("-b --cookie", "a header is an item: 'Cookie:name=value'"),
        ("-r --range", "a header is an item: Range:bytes=0-99"),
        ("-z --time-cond", "a header is an item: 'If-Modified-Since:Sat, 28 Nov 2026 00:00:00 GMT'"),
        ("--etag-compare --etag-save", "a header is an item: 'If-None-Match:\"a\"'"),
        ("-j", "items are JSON without an option"),
        ("-F", "--multipart name=value name@file sends a form; redirects are followed without an option"),
        ("--form-string --form-escape --boundary", "--multipart name=value name@file sends a form"),
        ("--data-ascii --data-binary --data-raw --raw", "--data sends a text, or with @ the bytes of a file, unchanged"),
        ("--data-urlencode", "--form name=value encodes a form; name==value goes into the query"),
        ("-T --upload-file", "'upload' sends a file of any size: upload FILE PUT ADDRESS"),
        (
            "--chunked --tr-encoding -B --use-ascii --crlf",
            "--data @FILE sends the bytes of a file unchanged, and 'upload' a file of any size"
        ),
        ("-x --compress", "'upload' has --compress; the variables http_proxy and https_proxy name a proxy"),
        ("--expect100-timeout", "'upload' has --expect-continue"),
        // Credentials.
        ("--user", "--auth user:password"),
        ("-u -a --auth", "a header is an item: 'Authorization:Bearer TOKEN'"),
        ("--oauth2-bearer", "--auth TOKEN --auth-type bearer"),
        ("--basic --digest --anyauth --auth-type", "--auth user:password --auth-type basic or digest"),
        (
            "--ntlm --ntlm-wb --negotiate --delegation --service-name --aws-sigv4 --login-options --sasl-authzid --sasl-ir",
            "--auth-type is basic, bearer or digest; a channel may sign requests by a hook of its own"
        ),
        ("-n --netrc --netrc-file --netrc-optional --ignore-netrc", "no .netrc is read; --auth has the credentials"),
        ("-c", "'download' has --resume; cookies live as long as the command runs"),
        (
            "--cookie-jar --junk-session-cookies --session --session-read-only",
            "cookies live as long as the command runs; an item sends one: 'Cookie:name=value'"
        ),
        // Trust.
        (
            """
            -k --insecure --verify --cert-status --doh-insecure --proxy-insecure --ssl-allow-beast --proxy-ssl-allow-beast \
            --ssl-no-revoke --ssl-revoke-best-effort --crlfile --proxy-crlfile --doh-cert-status
            """,
            "certificates are always verified; --authority FILE names the authority of the server"
        ),
        ("--capath --ca-native", "--authority FILE, or the word system, names the authorities"),
        ("-E --cert-key", "--cert FILE --key FILE is the client's certificate"),
        ("--cert-key-pass --pass", "--key FILE needs a key without a passphrase"),
        ("--cert-type --key-type --engine --ssl-auto-client-cert", "--cert and --key are files of PEM"),
        ("--pinnedpubkey --proxy-pinnedpubkey", "'pins HOST' prints the pins of a server; a channel checks its own"),
        (
            """
            --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 -1 -2 -3 --sslv2 --sslv3 --ssl --ssl-reqd --ssl-sessions --tls-max \
            --tls-earlydata --ciphers --tls13-ciphers --curves --signature-algorithms --sigalgs --false-start --ech \
            --tlsauthtype --tlspassword --tlsuser --random-file --egd-file --no-sessionid --sessionid
            """,
            "TLS is 1.2 or newer, and its ciphers are the system's; a channel may demand TLS 1.3"
        ),
        // Proxies and the network.
        (
            """
            --proxy --preproxy -U --proxy-user --proxytunnel --proxy1.0 --proxy-header --proxy-http2 --proxy-anyauth \
            --proxy-basic --proxy-digest --proxy-negotiate --proxy-ntlm --proxy-service-name --proxy-cacert \
            --proxy-capath --proxy-ca-native --proxy-cert --proxy-cert-type --proxy-key --proxy-key-type --proxy-pass \
            --proxy-ciphers --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser \
            --proxy-tlsv1 --proxy-ssl-auto-client-cert --socks4 --socks4a --socks5 --socks5-hostname --socks5-basic \
            --socks5-gssapi --socks5-gssapi-nec --socks5-gssapi-service --suppress-connect-headers
            """,
            "a variable names the proxy: https_proxy=http://user:password@host:3128, likewise http_proxy and all_proxy"
        ),
        ("--noproxy", "a variable names the hosts without a proxy: no_proxy=example.com"),
        (
            """
            -4 -6 --ipv4 --ipv6 --resolve --connect-to --interface --local-port --dns-interface --dns-ipv4-addr \
            --dns-ipv6-addr --dns-servers --doh-url --unix-socket --abstract-unix-socket --haproxy-protocol \
            --haproxy-clientip --happy-eyeballs-timeout-ms --tcp-fastopen --tcp-nodelay --no-tcp-nodelay --mptcp \
            --keepalive-time --keepalive-cnt --no-keepalive --keepalive --ip-tos --vlan-priority --ipfs-gateway
            """,
            "the system resolves hosts and chooses addresses; no option changes that"
        ),
        (
            """
            -0 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --http0.9 --no-alpn --alpn --no-npn \
            --npn
            """,
            "the server's TLS chooses between HTTP/2 and HTTP/1.1; --stream needs HTTP/1.1, and so does clear text"
        ),
        ("--alt-svc --hsts", "write https:// before the address; no response's advice is kept"),
        ("--connect-timeout --max-time --speed-limit --speed-time -y -Y", "--timeout sets the time limit, in seconds"),
        ("-m", "--timeout sets the time limit, in seconds; times are always shown"),
        // Redirects, statuses, retries.
        ("-L --location --follow", "redirects are followed without an option"),
        (
            "--max-redirs --max-redirects --location-trusted --proto-redir --post301 --post302 --post303",
            "at most 20 redirects are followed; credentials go to no other origin"
        ),
        ("-f", "an error status exits with 1 without an option; --form sends a form"),
        ("--fail --fail-early --fail-with-body --check-status", "an error status exits with 1 without an option"),
        (
            "--retry --retry-all-errors --retry-connrejected --retry-delay --retry-max-time",
            "'download' has --retry; a channel's own policy repeats a call"
        ),
        (
            "-Z --parallel --parallel-immediate --parallel-max --parallel-max-host --rate -: --next",
            "one command sends one request; --repeat and --at-a-time send it many times"
        ),
        // Files.
        ("-o --output", "standard output has the result: > FILE"),
        (
            """
            -O -J -R --remote-name --remote-name-all --remote-header-name --remote-time --output-dir --create-dirs \
            --create-file-mode --no-clobber --clobber --skip-existing --remove-on-error --xattr --download --out-null
            """,
            "'download ADDRESS' writes a file that is named after the path; -o names another"
        ),
        ("-C --continue-at --continue", "'download ADDRESS --resume' continues a download"),
        ("--limit-rate", "'download' and 'upload' have --limit-rate"),
        (
            "--max-filesize --ignore-content-length --max-headers",
            "the limits of the kit apply; 'download' takes a file of any size"
        ),
        ("--compressed --compressed-ssh", "compressed responses are asked for and decoded without an option"),
        // Output.
        (
            "-s --silent --show-error -q --quiet --no-progress-meter --progress-meter -# --progress-bar",
            "--body prints the body only"
        ),
        ("--stderr", "a shell directs standard error: 2> FILE"),
        ("-N --no-buffer --buffer", "--stream shows the body while it arrives"),
        (
            "-i --include -D --dump-header --headers -p --print --meta --all -P --history-print",
            "--verbose shows requests and heads; times are always shown, and --json has all of them"
        ),
        ("-w --write-out", "--json has status, headers, body and times"),
        (
            """
            --pretty --style --styled-output --format-options --sorted --unsorted --no-sorted --no-unsorted --response-charset \
            --response-mime
            """,
            "a terminal shows JSON indented and in the server's order; NO_COLOR=1 takes the colours away"
        ),
        ("--libcurl", "--curl prints the request as a cURL command"),
        (
            "--trace --trace-ascii --trace-time --trace-config --trace-ids --debug --traceback",
            "--verbose shows requests and heads; the variable NETWORKER_LOG=debug, the kit's log"
        ),
        // The program.
        ("-K --config --disable --variable --expand", "no file of options is read; a shell's variables and aliases serve"),
        ("-M --manual", "--help describes every option"),
        ("-V", "--version"),
        (
            """
            -l --list-only -Q --quote -t --telnet-option --append --metalink --tftp-blksize --tftp-no-options --ftp-account \
            --ftp-alternative-to-user --ftp-create-dirs --ftp-method --ftp-pasv --ftp-port --ftp-pret --ftp-skip-pasv-ip \
            --ftp-ssl-ccc --ftp-ssl-ccc-mode --ftp-ssl-control --disable-eprt --disable-epsv --krb --mail-auth --mail-from \
            --mail-rcpt --mail-rcpt-allowfails --upload-flags --pubkey --hostpubmd5 --hostpubsha256
            """,
            "the command speaks HTTP only"
        ),
        ("--disallow-username-in-url", "user information in an address is rejected without an option"),
        ("--dump-ca-embed", "--authority FILE, or the word system, names the authorities"),
    ]
}
