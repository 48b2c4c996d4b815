import { MethodMark, type MethodMarker } from '../../../platform/extension/marked-methods.js';
import type { OwnClaims } from '../../../kernel/principal.types.js';

/** The account and the session that a token is issued for. */
export interface TokenClaimContext {
  readonly userId: string;
  readonly sessionId: string;
}

/** No registered claim (RFC 7519 §4.1, the IANA registry) and no claim of the service starts with `x_`. */
export const OWN_CLAIM = /^x_[a-z0-9_]{1,40}$/;

export const TOKEN_CLAIMS = new MethodMark<{ readonly claim: string; readonly order: number }>(
  'returns a claim of the access token',
  {
    faultOf: ({ claim }) =>
      OWN_CLAIM.test(claim)
        ? null
        : `the name ${JSON.stringify(claim)} is not valid: use x_ and at most 40 lower-case letters, digits and underscores`,
  },
);

/** For an undeclared name, this is a text with the fix, which the compiler prints. */
type DeclaredClaim<Name extends string> = Name extends keyof OwnClaims
  ? Name
  : "Declare the claim in OwnClaims, by a name that begins with x_: declare module 'lintel' { interface OwnClaims { … } }";

/**
 * Adds the result of this provider method to each access token, at the sign-in and at each refresh. It is available in `principal.claims`.
 * `undefined` omits the claim.
 *
 * @param claim `x_` and up to 40 lower-case letters, digits and underscores; declared in {@link OwnClaims}. Another name stops the start.
 */
export function TokenClaim<Name extends `x_${string}`>(
  claim: DeclaredClaim<Name>,
): MethodMarker<(context: TokenClaimContext) => ClaimValue<Name> | undefined | Promise<ClaimValue<Name> | undefined>> {
  return TOKEN_CLAIMS.marker({ claim: String(claim), order: 0 });
}

type ClaimValue<Name> = Name extends keyof OwnClaims ? OwnClaims[Name] : unknown;
