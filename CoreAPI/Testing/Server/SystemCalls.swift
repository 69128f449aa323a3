#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

// The system calls whose names this module's own methods have too. A bare call inside such a type would find the method.

let systemAccept = accept
let systemClose = close
let systemSend = send
