import TestSupport

@Suite("Dates of header fields (RFC 9110 §5.6.7)")
struct HTTPDateTests {
    @Test(
        "Three forms say the same",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func forms(text: String) {
        #expect(HTTPDate.date(text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test("A number with a sign is rejected", arguments: ["Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:+37 GMT"])
    func signs(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }

    @Test("A day that its month does not have is no date; leap days and leap seconds are")
    func days() {
        for day in ["31 Feb 2026", "30 Feb 2024", "29 Feb 2025", "31 Apr 2026", "00 Jan 2026"] {
            #expect(HTTPDate.date("Sun, \(day) 08:49:37 GMT") == nil, "\(day)")
        }
        #expect(HTTPDate.date("Thu, 29 Feb 2024 00:00:00 GMT") == Date(timeIntervalSince1970: 1_709_164_800))
        #expect(HTTPDate.date("Sat, 31 Dec 2016 23:59:60 GMT") == Date(timeIntervalSince1970: 1_483_228_800))
    }

    @Test(
        "What is clear is read: any case, no weekday, Greenwich by another name, white space",
        arguments: [
            "sun, 06 nov 1994 08:49:37 gmt", "SUN, 06 NOV 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 UT", "Sun, 06 Nov 1994 08:49:37 Z",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 -0000", "Sun, 06 Nov 1994 08:49:37 +00:00",
            "Sun,  06 Nov 1994  08:49:37  GMT ", "sunday, 06-nov-94 08:49:37 utc", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun Nov 06 08:49:37 1994", "sun nov  6 08:49:37 UTC 1994", "Mon, 06 Nov 1994 08:49:37 GMT",
        ])
    func clear(text: String) {
        #expect(HTTPDate.date(text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(
        "What is not clear is no date",
        arguments: [
            "", " ", "soon", "Sun", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49:37 +0100", "Sun, 06 Nov 1994 08:49:37 -0500", "06/11/1994 08:49:37 GMT",
            "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Now 1994 08:49:37 GMT", "784111777",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
        ])
    func unclear(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }
}
