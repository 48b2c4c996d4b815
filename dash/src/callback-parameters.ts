import { takeProof } from './session/tab-proof.js';

/**
 * Parameters that the address brought along and that must not stay in it.
 *
 * This module is the first import of the application, so it runs before anything else: it takes `code`, `error`,
 * `linked`, `mfa`, `methods`, `proven` and `token` out of the fragment (and `token` out of the query), and puts the bare address into the address bar and
 * the history. From then on the values live in this module's memory only.
 */
export interface CallbackParameters {
  /** One-time code of a finished provider sign-in, for `POST /api/auth/exchange`. */
  code: string | null;
  /** Error code of a sign-in that failed. */
  error: string | null;
  /** Provider that was linked to the account just now. */
  linked: string | null;
  /** Token of a sign-in that waits for its second factor, and the kinds of factors that the account has, with commas. */
  mfa: string | null;
  methods: string | null;
  /** Provider of a completed step-up. */
  proven: string | null;
  /** Token of a mail link, or of the first set-up. */
  token: string | null;
  /** Proof that the sign-in whose code came along was begun in this tab; from the tab, not from the address. */
  verifier: string | null;
}

const FRAGMENT_KEYS = ['code', 'error', 'linked', 'mfa', 'methods', 'proven', 'token'] as const;

const parameters: CallbackParameters = readAndClean();

/** Answers one value of the address this page was opened with, leaving it in place. */
export function peekCallbackParameter(key: keyof CallbackParameters): string | null {
  return parameters[key];
}

/** Answers one value of the address and forgets it: a secret is used once. */
export function takeCallbackParameter(key: keyof CallbackParameters): string | null {
  const value = parameters[key];
  parameters[key] = null;
  return value;
}

function readAndClean(): CallbackParameters {
  const url = new URL(window.location.href);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const found: CallbackParameters = {
    code: fragment.get('code'),
    error: fragment.get('error'),
    linked: fragment.get('linked'),
    mfa: fragment.get('mfa'),
    methods: fragment.get('methods'),
    proven: fragment.get('proven'),
    token: fragment.get('token') ?? url.searchParams.get('token'),
    verifier: takeProof(),
  };
  const inFragment = FRAGMENT_KEYS.some((key) => fragment.has(key));
  if (inFragment) url.hash = '';
  if (inFragment || url.searchParams.has('token')) {
    url.searchParams.delete('token');
    window.history.replaceState(null, '', url.pathname + url.search);
  }
  return found;
}

/** Ends the sign-in of whoever comes back without a code (by the back button, say): they have given it up. */
window.addEventListener('pageshow', ({ persisted }) => persisted && takeProof());

/** A new fragment in the same tab (a second mail link, say) loads no page by itself: start afresh with it. */
window.addEventListener('hashchange', () => {
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  if (FRAGMENT_KEYS.some((key) => fragment.has(key))) window.location.reload();
});
