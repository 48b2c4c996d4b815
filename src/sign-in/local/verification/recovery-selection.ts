import type { CredentialKind } from '../../../identity/auth/credentials/credential-kind.port.js';
import type { FieldCheck } from '../../../platform/http/http.public.js';
import { withConstraints } from '../../../platform/http/http.public.js';

/** Kinds of credentials that recovery can revoke. */
export const RECOVERABLE_KINDS = ['identities', 'passkeys', 'totp', 'keys'] as const;

const NAMES: ReadonlySet<string> = new Set(RECOVERABLE_KINDS);
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
const INVALID = {
  code: 'value_invalid',
  message: `must be "all", a list of ${[...NAMES].join(', ')}, or a timestamp with its time zone`,
};

/** Credentials to revoke beside the password: `all`, a list of kinds, or those since a timestamp. */
type Revocation = string | readonly string[];

/** A {@link Revocation} that may be left out. */
export const optionalRevocation: FieldCheck = withConstraints({ type: 'array' }, (value) => {
  if (value === undefined || value === null || value === 'all') return null;
  if (Array.isArray(value)) {
    const isKnown = value.every((name) => typeof name === 'string' && NAMES.has(name));
    return isKnown && new Set(value).size === value.length ? null : INVALID;
  }
  return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value)) ? null : INVALID;
});

/** A checked selection of credentials. */
export class RecoverySelection {
  private constructor(
    /** Names of the kinds; null for all. */
    readonly kinds: ReadonlySet<string> | null,
    readonly since: Date | null,
  ) {}

  /** Returns the selection of a checked body. `end_identities` adds the identities. */
  static of(revoke: Revocation | null | undefined, endsIdentities: boolean): RecoverySelection {
    if (revoke === 'all') return new RecoverySelection(null, null);
    if (typeof revoke === 'string') return new RecoverySelection(null, new Date(revoke));
    return new RecoverySelection(new Set([...(revoke ?? []), ...(endsIdentities ? ['identities'] : [])]), null);
  }

  /** Returns whether credentials of a kind are selected. Recovery codes are selected with all kinds only. */
  has({ name }: Pick<CredentialKind, 'name'>): boolean {
    return this.kinds === null || this.kinds.has(name);
  }

  /** Returns whether every credential of a kind is selected, so that none of them proves anything. */
  hasWhole(name: string): boolean {
    return this.since === null && this.has({ name });
  }

  /** Returns the later of the selection's start and another time. */
  startingAt(earliest: Date): Date {
    return this.since !== null && this.since > earliest ? this.since : earliest;
  }
}
