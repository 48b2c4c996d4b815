import type { CredentialKind } from '../../../identity/auth/credentials/credential-kind.port.js';
import { type FieldCheck, withConstraints } from '../../../platform/http/input/field.decorator.js';

export const RECOVERABLE_KINDS = ['identities', 'passkeys', 'totp', 'keys'] as const;

const NAMES: ReadonlySet<string> = new Set(RECOVERABLE_KINDS);
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
const INVALID = {
  code: 'value_invalid',
  message: `must be "all", a list of ${[...NAMES].join(', ')}, or a timestamp with its time zone`,
};

/** Credentials to revoke besides the password: `all`, a list of kinds, or a timestamp for those created since. */
type Revocation = string | readonly string[];

export const optionalRevocation: FieldCheck = withConstraints({ type: 'array' }, (value) => {
  if (value === undefined || value === null || value === 'all') return null;
  if (Array.isArray(value)) {
    const isValid = value.every((name) => typeof name === 'string' && NAMES.has(name));
    return isValid && new Set(value).size === value.length ? null : INVALID;
  }
  return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value)) ? null : INVALID;
});

export class RecoverySelection {
  private constructor(
    /** Null for all kinds. */
    readonly kinds: ReadonlySet<string> | null,
    readonly since: Date | null,
  ) {}

  static of(revoke: Revocation | null | undefined, revokesIdentities: boolean): RecoverySelection {
    if (revoke === 'all') return new RecoverySelection(null, null);
    if (typeof revoke === 'string') return new RecoverySelection(null, new Date(revoke));
    return new RecoverySelection(new Set([...(revoke ?? []), ...(revokesIdentities ? ['identities'] : [])]), null);
  }

  /** Recovery codes are selected only if all kinds are. */
  has({ name }: Pick<CredentialKind, 'name'>): boolean {
    return this.kinds === null || this.kinds.has(name);
  }

  /** Returns whether every credential of a kind is selected. Such a kind cannot serve as proof. */
  hasAll(name: string): boolean {
    return this.since === null && this.has({ name });
  }

  startingAt(earliest: Date): Date {
    return this.since !== null && this.since > earliest ? this.since : earliest;
  }
}
