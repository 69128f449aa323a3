#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

// The system calls whose names are also methods of this module. A bare call inside such a type would find the method.

let systemAccept = accept
let systemClose = close
let systemSend = send
