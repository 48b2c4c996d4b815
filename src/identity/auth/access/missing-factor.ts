import type { AccountPrincipal, Principal, SessionAssurance } from '../../../kernel/principal.types.js';
import { covers } from '../../../kernel/permission-rules.js';

/** Resources that stay open while a second factor must be proven or added. A name that ends with `.*` covers all resources below it. */
export const OPEN_WITHOUT_FACTOR: readonly string[] = ['auth.me', 'auth.logout', 'auth.mfa.*'];

const RECOVERY = 'recovery_code';
const OWN_FACTORS: ReadonlySet<string> = new Set(['totp', 'passkey', 'security_key']);

export function isOpenWithoutFactor(resource: string): boolean {
  return OPEN_WITHOUT_FACTOR.some((pattern) => covers(pattern, resource));
}

/** Returns whether the session started with a recovery code, so that the lost factor must be replaced first. */
export function isRecovered({ amr }: SessionAssurance): boolean {
  return amr.includes(RECOVERY) && !amr.some((proof) => OWN_FACTORS.has(proof));
}

/** Returns whether the principal is a user with a session. Only users have second factors. */
export function isUser(principal: Principal): principal is AccountPrincipal {
  return principal.kind === 'account' && principal.key === undefined;
}

export function isKey(principal: Principal): boolean {
  return principal.kind === 'account' && principal.key !== undefined;
}
