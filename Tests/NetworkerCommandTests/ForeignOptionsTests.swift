import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("The options of other programs")
struct ForeignOptionsTests {
    /// Those of curl 7.88 to 8.14 and of HTTPie 3.2.
    private static let options = """
        --abstract-unix-socket --all --alt-svc --anyauth --append --auth --auth-type --aws-sigv4 --basic --body --boundary
        --ca-native --cacert --capath --cert --cert-key --cert-key-pass --cert-status --cert-type --check-status --chunked
        --ciphers --compress --compressed --compressed-ssh --config --connect-timeout --connect-to --continue --continue-at
        --cookie --cookie-jar --create-dirs --create-file-mode --crlf --crlfile --curves --data --data-ascii --data-binary
        --data-raw --data-urlencode --debug --default-scheme --delegation --digest --disable --disable-eprt --disable-epsv
        --disallow-username-in-url --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-cert-status
        --doh-insecure --doh-url --download --dump-ca-embed --dump-header --ech --egd-file --engine --etag-compare
        --etag-save --expect100-timeout --fail --fail-early --fail-with-body --false-start --follow --form --form-escape
        --form-string --format-options --ftp-account --ftp-alternative-to-user --ftp-create-dirs --ftp-method --ftp-pasv
        --ftp-port --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-ccc-mode --ftp-ssl-control --get --globoff
        --happy-eyeballs-timeout-ms --haproxy-clientip --haproxy-protocol --head --header --headers --help --history-print
        --hostpubmd5 --hostpubsha256 --hsts --http0.9 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3
        --http3-only --ignore-content-length --ignore-netrc --ignore-stdin --include --insecure --interface --ip-tos
        --ipfs-gateway --ipv4 --ipv6 --json --junk-session-cookies --keepalive-cnt --keepalive-time --key --key-type --krb
        --libcurl --limit-rate --list-only --local-port --location --location-trusted --login-options --mail-auth
        --mail-from --mail-rcpt --mail-rcpt-allowfails --manual --max-filesize --max-headers --max-redirects --max-redirs
        --max-time --meta --metalink --mptcp --multipart --negotiate --netrc --netrc-file --netrc-optional --next --no-alpn
        --no-buffer --no-clobber --no-keepalive --no-npn --no-progress-meter --no-sessionid --no-sorted --no-unsorted
        --noproxy --ntlm --ntlm-wb --oauth2-bearer --offline --out-null --output --output-dir --parallel
        --parallel-immediate --parallel-max --parallel-max-host --pass --path-as-is --pinnedpubkey --post301 --post302
        --post303 --preproxy --pretty --print --progress-bar --proto --proto-default --proto-redir --proxy --proxy-anyauth
        --proxy-basic --proxy-ca-native --proxy-cacert --proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers
        --proxy-crlfile --proxy-digest --proxy-header --proxy-http2 --proxy-insecure --proxy-key --proxy-key-type
        --proxy-negotiate --proxy-ntlm --proxy-pass --proxy-pinnedpubkey --proxy-service-name --proxy-ssl-allow-beast
        --proxy-ssl-auto-client-cert --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser
        --proxy-tlsv1 --proxy-user --proxy1.0 --proxytunnel --pubkey --quiet --quote --random-file --range --rate --raw
        --referer --remote-header-name --remote-name --remote-name-all --remote-time --remove-on-error --request
        --request-target --resolve --response-charset --response-mime --retry --retry-all-errors --retry-connrejected
        --retry-delay --retry-max-time --sasl-authzid --sasl-ir --service-name --session --session-read-only --show-error
        --sigalgs --silent --skip-existing --socks4 --socks4a --socks5 --socks5-basic --socks5-gssapi --socks5-gssapi-nec
        --socks5-gssapi-service --socks5-hostname --sorted --speed-limit --speed-time --ssl --ssl-allow-beast
        --ssl-auto-client-cert --ssl-no-revoke --ssl-reqd --ssl-revoke-best-effort --ssl-sessions --sslv2 --sslv3 --stderr
        --stream --style --styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay --telnet-option
        --tftp-blksize --tftp-no-options --time-cond --timeout --tls-earlydata --tls-max --tls13-ciphers --tlsauthtype
        --tlspassword --tlsuser --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace --trace-ascii
        --trace-config --trace-ids --trace-time --traceback --unix-socket --unsorted --upload-file --upload-flags --url
        --url-query --use-ascii --user --user-agent --variable --verbose --verify --version --vlan-priority --write-out
        --xattr -0 -1 -2 -3 -4 -6 -: -A -B -C -D -E -F -G -H -I -J -K -L -M -N -O -P -Q -R -S -T -U -V -X -Y -Z -a -b -c -d
        -e -f -g -h -i -j -k -l -m -n -o -p -q -r -s -t -u -v -w -x -y -z -#
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Every option that a help describes, with its hyphens.
    private func described(by command: any ParsableCommand.Type) -> Set<String> {
        Set(command.helpMessage(columns: 1_000).matches(of: /[\s,](--?[A-Za-z][a-z-]*)/).map { String($0.output.1) })
    }

    @Test("are 'call' its own, or have advice in place of a suggestion by letters")
    func advice() {
        let own = described(by: CallCommand.self).union(["--version"])
        #expect(Self.options.count == 371)
        for option in Self.options where !own.contains(option) {
            #expect(ForeignOptions.advice(about: option) != nil, "\(option)")
            let letters = "Unknown option '\(option)'. Did you mean '--curl'?"
            let (failure, hint) = ForeignOptions.advised(letters, to: ["networker", "example.com"])
            #expect(failure == "Unknown option '\(option)'" && hint != nil, "\(option)")
        }
    }

    @Test("have advice that names only what a help describes")
    func truth() throws {
        let all = RootCommand.configuration.subcommands.map(described).reduce(into: described(by: RootCommand.self)) {
            $0.formUnion($1)
        }
        for option in Self.options {
            let advice = ForeignOptions.advice(about: option) ?? ""
            for match in advice.matches(of: /--[a-z][a-z-]*/) {
                #expect(all.contains(String(match.output)), "\(option): \(advice)")
            }
            for match in advice.matches(of: /'(download|upload|pins)[ ']/) {
                #expect(RootCommand.names.contains(String(match.output.1)))
            }
        }
    }

    @Test(
        "of another subcommand's advice, say so",
        arguments: [
            (["download", "a", "-u", "x"], "-u", "a header is an item: 'Authorization:Bearer TOKEN'"),
            (["download", "a", "--user", "x"], "--user", "for 'networker call': --auth user:password"),
            (["events", "a", "--user", "x"], "--user", "--auth user:password"),
            (["upload", "a", "--retry", "1"], "--retry", "'download' has --retry; a channel's own policy repeats a call"),
        ])
    func subcommands(words: [String], option: String, hint: String) {
        #expect(ForeignOptions.advised("Unknown option '\(option)'", to: ["networker"] + words).hint == hint)
    }

    @Test("keep ArgumentParser's suggestion for a typing error, and no other")
    func typingErrors() {
        func failure(_ text: String) -> String { ForeignOptions.advised(text, to: []).failure }
        for typo in [
            "Unknown option '--verbos'. Did you mean '--verbose'?", "Missing value for '--auth'", "Unknown option '--zzzzzz'",
        ] { #expect(failure(typo) == typo) }
        #expect(failure("Unknown option '--zzzz'. Did you mean '--form'?") == "Unknown option '--zzzz'")
    }

    @Test(
        "show a hint beside the error, and no value",
        arguments: [["--cookie", "a=planted"], ["-sSLplanted"], ["--location"], ["--no-verify"]])
    func process(words: [String]) async throws {
        let unknown = "error: Unknown option '\(words[0].prefix(2))"
        try await BuiltCommand.expect(["example.com"] + words, 64, unknown, "\nhint: ", without: ["Did you mean", "planted"])
    }
}
