import { isCodeChallenge, matchesChallenge } from './pkce.js';

/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('pkce', () => {
  it('accepts the verifier of the challenge', () => {
    expect(matchesChallenge(VERIFIER, CHALLENGE)).toBe(true);
  });

  it.each([
    '',
    CHALLENGE,
    VERIFIER.slice(1),
    `${VERIFIER}=`,
    `${VERIFIER} `,
    VERIFIER.toLowerCase(),
    'x'.repeat(42),
    'x'.repeat(129),
    `${VERIFIER}\n`,
  ])('rejects %j', (verifier) => expect(matchesChallenge(verifier, CHALLENGE)).toBe(false));

  it.each([CHALLENGE.slice(1), `${CHALLENGE}=`, `${CHALLENGE}A`, CHALLENGE.replace('-', '+'), ''])(
    'rejects %j as an S256 challenge',
    (text) => expect(isCodeChallenge(text)).toBe(false),
  );

  it('rejects a plain challenge: the verifier itself', () => {
    expect(matchesChallenge(VERIFIER, VERIFIER)).toBe(false);
  });
});
