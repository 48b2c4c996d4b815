import { takeVerifier } from './session/tab-proof.js';

/**
 * Parameters from the URL that must not stay in it.
 *
 * This module is the first import of the application, so it runs before anything else. It removes `code`, `error`, `linked`, `mfa`,
 * `methods`, `proven` and `token` from the fragment, and `token` from the query. The cleaned URL replaces the one in the address bar and
 * the history. Afterwards, the values exist only in this module's memory.
 */
export interface CallbackParameters {
  /** One-time code of a completed provider sign-in, for `POST /api/auth/exchange`. */
  code: string | null;
  error: string | null;
  linked: string | null;
  /** Token of a sign-in that needs a second factor. `methods` are the factor types of the account, separated by commas. */
  mfa: string | null;
  methods: string | null;
  /** Provider of a completed step-up. */
  proven: string | null;
  /** Token of a mail link, or of the initial setup. */
  token: string | null;
  /** Verifier that proves that the sign-in started in this tab. It is read from the session storage, not from the URL. */
  verifier: string | null;
}

const FRAGMENT_KEYS = ['code', 'error', 'linked', 'mfa', 'methods', 'proven', 'token'] as const;

const parameters: CallbackParameters = readAndClean();

/** Returns a parameter of the URL and keeps it. */
export function peekCallbackParameter(key: keyof CallbackParameters): string | null {
  return parameters[key];
}

/** Returns a parameter of the URL and forgets it, because secrets are used only once. */
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
    verifier: takeVerifier(),
  };
  const inFragment = FRAGMENT_KEYS.some((key) => fragment.has(key));
  if (inFragment) url.hash = '';
  if (inFragment || url.searchParams.has('token')) {
    url.searchParams.delete('token');
    window.history.replaceState(null, '', url.pathname + url.search);
  }
  return found;
}

/** Discards the verifier if the user returns without a code, for example with the back button. */
window.addEventListener('pageshow', ({ persisted }) => persisted && takeVerifier());

/** A new fragment in the same tab, for example from a second mail link, does not load the page. Reloads to process it. */
window.addEventListener('hashchange', () => {
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  if (FRAGMENT_KEYS.some((key) => fragment.has(key))) window.location.reload();
});
