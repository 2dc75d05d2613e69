// Numbers, `true`, `false` and `null`, byte by byte (RFC 8259, sections 3 and 6).

extension JSONGrammar {
    /// A number or a word that is being read.
    struct Scalar {
        private enum Place {
            case word(rest: ArraySlice<UInt8>)
            case minus, zero, whole, point, fraction, exponentSign, exponentDigit, exponent
        }

        private var place: Place

        /// Begins one; nil when no scalar begins with the byte.
        init?(first byte: UInt8) {
            switch byte {
            case UInt8(ascii: "t"): place = .word(rest: Array("rue".utf8)[...])
            case UInt8(ascii: "f"): place = .word(rest: Array("alse".utf8)[...])
            case UInt8(ascii: "n"): place = .word(rest: Array("ull".utf8)[...])
            case UInt8(ascii: "-"): place = .minus
            case UInt8(ascii: "0"): place = .zero
            case 0x31...0x39: place = .whole
            default: return nil
            }
        }

        var isNumber: Bool { if case .word = place { false } else { true } }

        /// Whether it may end here.
        var isComplete: Bool {
            switch place {
            case .word(let rest): rest.isEmpty
            case .zero, .whole, .fraction, .exponent: true
            case .minus, .point, .exponentSign, .exponentDigit: false
            }
        }

        /// Takes the next byte; false when it is none of this scalar's.
        mutating func take(_ byte: UInt8) -> Bool {
            guard let next = place(after: byte) else { return false }
            place = next
            return true
        }

        private func place(after byte: UInt8) -> Place? {
            let isDigit = (0x30...0x39).contains(byte)
            let isExponent = byte | 0x20 == UInt8(ascii: "e")
            switch place {
            case .word(let rest): return rest.first == byte ? .word(rest: rest.dropFirst()) : nil
            case .minus: return isDigit ? (byte == UInt8(ascii: "0") ? .zero : .whole) : nil
            case .zero, .whole:
                if isDigit, case .whole = place { return .whole }
                return byte == UInt8(ascii: ".") ? .point : isExponent ? .exponentSign : nil
            case .point: return isDigit ? .fraction : nil
            case .fraction: return isDigit ? .fraction : isExponent ? .exponentSign : nil
            case .exponentSign:
                let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                return isDigit ? .exponent : isSign ? .exponentDigit : nil
            case .exponentDigit, .exponent: return isDigit ? .exponent : nil
            }
        }
    }
}
