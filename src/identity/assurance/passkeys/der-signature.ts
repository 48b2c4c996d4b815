const [SEQUENCE, INTEGER] = [0x30, 0x02];

/**
 * Returns whether the bytes are a canonical DER encoding of an ECDSA signature (RFC 3279 §2.2.3). It has two positive integers of at most
 * 33 bytes, each in its shortest form, and nothing else.
 */
export function isDerSignature(bytes: Uint8Array): boolean {
  if (bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) return false;
  const second = endOfInteger(bytes, 2);
  return second !== null && endOfInteger(bytes, second) === bytes.length;
}

/** Returns the end offset of the integer at `at`, or null if there is no valid integer. */
function endOfInteger(bytes: Uint8Array, at: number): number | null {
  const [tag, length = 0, first = 0x80, next = 0] = bytes.subarray(at);
  if (tag !== INTEGER || length < 1 || length > 33 || first > 0x7f) return null;
  return first === 0 && (length === 1 || next < 0x80) ? null : at + 2 + length;
}
