import { createHash, randomBytes } from 'node:crypto';

/** Crockford base 32: no two letters look alike. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 80 random bits. */
const LENGTH = 16;
const GROUPS = /.{4}(?!$)/g;
const CODE = /^[0-9A-HJKMNP-TV-Z]{16}$/;

/** Returns a new code, grouped with hyphens. */
export function newRecoveryCode(): string {
  const code = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return code.replace(GROUPS, '$&-');
}

/** Returns the stored hash of a code, or null if the text is not a code. Case, spaces, hyphens and look-alike letters do not matter. */
export function recoveryCodeHash(userId: string, typed: string): string | null {
  if (typed.length > 100) return null;
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  const code = letters.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return CODE.test(code) ? createHash('sha256').update(`${userId} ${code}`).digest('hex') : null;
}
