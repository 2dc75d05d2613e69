// The byte classes read eight at a time, held to the same classes read one by one.

import Testing

@testable import Martlet

@Suite struct HTTPSyntaxTests {
    @Test(arguments: 0...20)
    func firstByteThatDoesNotFitIsFoundWhereverItStands(_ place: Int) {
        for filler in [UInt8(ascii: "a"), UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "9"), UInt8(ascii: "~")] {
            for byte in UInt8.min...UInt8.max {
                var bytes = [UInt8](repeating: filler, count: 21)
                bytes[place] = byte
                bytes.withUnsafeBufferPointer { buffer in
                    let token = HTTPSyntax.isTokenByte(byte) ? nil : place
                    let value = HTTPSyntax.isValueByte(byte) ? nil : place
                    for start in 0...place
                    where HTTPSyntax.firstNonToken(buffer, from: start) != token
                        || HTTPSyntax.firstControl(buffer, from: start) != value
                    {
                        Issue.record("the byte \(byte) at \(place) among \(filler), read from \(start)")
                    }
                }
            }
        }
    }

    @Test func neighboursDoNotHideEachOther() {
        var random = SeededNumbers(5)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let tokens = bytes.firstIndex { !HTTPSyntax.isTokenByte($0) }
            let values = bytes.firstIndex { !HTTPSyntax.isValueByte($0) }
            bytes.withUnsafeBufferPointer { buffer in
                guard !buffer.isEmpty else { return }
                if HTTPSyntax.firstNonToken(buffer, from: 0) != tokens
                    || HTTPSyntax.firstControl(buffer, from: 0) != values
                {
                    Issue.record("\(bytes) is read otherwise in eights")
                }
            }
        }
    }
}
