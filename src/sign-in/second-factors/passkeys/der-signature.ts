const [SEQUENCE, INTEGER] = [0x30, 0x02];

/**
 * Returns whether the bytes are an ECDSA signature in the one form that DER allows (RFC 3279 §2.2.3): two positive integers of at
 * most 33 bytes, each as short as it can be, and nothing beside them.
 */
export function isDerSignature(bytes: Uint8Array): boolean {
  if (bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) return false;
  const second = endOfInteger(bytes, 2);
  return second !== null && endOfInteger(bytes, second) === bytes.length;
}

/** Returns where the integer ends that begins there; null if none does. */
function endOfInteger(bytes: Uint8Array, at: number): number | null {
  const [tag, length = 0, first = 0x80, next = 0] = bytes.subarray(at);
  if (tag !== INTEGER || length < 1 || length > 33 || first > 0x7f) return null;
  return first === 0 && (length === 1 || next < 0x80) ? null : at + 2 + length;
}
