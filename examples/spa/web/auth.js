import { LINTEL } from './config.js';

/**
 * Sign-in to this app on the page of Lintel. Tokens are only in the memory of this module: in no storage, cookie or address. A reload loses
 * them, so the browser is sent to the page of Lintel again, where it is still signed in.
 */
let tokens = null;
/** The running refresh. Requests that fail meanwhile wait for it, because a refresh token is valid once. */
let renewal = null;

/** Must be listed in `AUTH_CLI_ALLOWED_REDIRECT_URIS`, exactly as it is here. */
const REDIRECT_URI = `${location.origin}/`;
/** Key in `sessionStorage` during a sign-in: `state` and verifier, which prove that this tab started it. */
const PENDING = 'sign-in';
/** Key in `sessionStorage` while this tab is signed in. It contains no token. */
const SIGNED_IN = 'signed-in';

/** An error of Lintel: `code` is its `data.error`, or `unreachable` without a response. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** All tabs of this app share one session, so a sign-out applies to all of them. */
const tabs = new BroadcastChannel('session');

/** Calls `listener` when another tab signs out. */
export function onEnded(listener) {
  tabs.addEventListener('message', () => {
    if (tokens === null) return;
    forget();
    listener();
  });
}

/**
 * Call this first. Completes a sign-in whose code is in the address, or opens the page of Lintel if this tab was signed in before a reload.
 * Returns whether the user is signed in.
 */
export async function start() {
  const answer = takeAnswer();
  if (answer !== null) {
    keep(await post('/api/auth/exchange', answer));
    return true;
  }
  // Removed first, so that the back button does not open the page of Lintel again.
  const wasSignedIn = sessionStorage.getItem(SIGNED_IN) !== null;
  sessionStorage.removeItem(SIGNED_IN);
  if (wasSignedIn) await signIn();
  return false;
}

/** Sends the browser to the page of Lintel (RFC 7636, RFC 6749 §4.1). */
export async function signIn() {
  const [state, verifier] = [randomText(), randomText()];
  sessionStorage.setItem(PENDING, JSON.stringify({ state, verifier }));
  const query = new URLSearchParams({
    redirect_uri: REDIRECT_URI,
    state,
    code_challenge: toText(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))),
    code_challenge_method: 'S256',
  });
  location.assign(`${LINTEL}/api/auth/authorize?${query}`);
}

/** Revokes the session, also on the page of Lintel. Throws if Lintel did not receive the request: the user is still signed in then. */
export async function signOut() {
  try {
    await call('POST', '/api/auth/logout');
  } catch (error) {
    if (error.status !== 401) throw error;
  }
  forget();
  tabs.postMessage('left');
}

/** Calls the API as the user. If the access token is not valid, it is refreshed once and the request is repeated. */
export async function call(method, path, body) {
  const used = tokens;
  if (used === null) throw new Refusal(401, 'token_missing', 'You are not signed in.');
  try {
    return await send(method, path, body, used.token);
  } catch (error) {
    if (!isTokenError(error)) throw error;
    if (tokens === used) await renew();
    if (tokens === null) throw error;
    return send(method, path, body, tokens.token);
  }
}

/** Not all errors with the status 401 concern the token: another one is a wrong password. */
function isTokenError({ status, code }) {
  return status === 401 && ['token_expired', 'token_invalid'].includes(code);
}

/** Requests new tokens, which replace the old ones. */
function renew() {
  renewal ??= renewNow().finally(() => {
    renewal = null;
  });
  return renewal;
}

async function renewNow() {
  const { refresh_token } = tokens;
  if (refresh_token === undefined) return forget();
  try {
    keep(await post('/api/auth/token/refresh', { refresh_token }));
  } catch (error) {
    // Only 401 ends the session. After a network error the tokens may still be valid.
    if (error.status !== 401) throw error;
    forget();
  }
}

/** Returns the code of the address with the verifier of this tab, and removes the parameters from the address and the history. */
function takeAnswer() {
  const query = new URLSearchParams(location.search);
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? 'null');
  sessionStorage.removeItem(PENDING);
  if (!query.has('code')) return null;
  history.replaceState(null, '', REDIRECT_URI);
  // A link from an attacker would sign the user in to another account.
  if (pending === null || query.get('state') !== pending.state)
    throw new Refusal(0, 'state_invalid', 'This sign-in was not started in this tab.');
  return { code: query.get('code'), code_verifier: pending.verifier };
}

function keep(set) {
  tokens = set;
  sessionStorage.setItem(SIGNED_IN, 'yes');
}

function forget() {
  tokens = null;
  sessionStorage.removeItem(SIGNED_IN);
}

const post = (path, body) => send('POST', path, body);

async function send(method, path, body, token) {
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  let answer;
  try {
    const options = { method, headers, credentials: 'omit', cache: 'no-store' };
    answer = await fetch(LINTEL + path, { ...options, body: body && JSON.stringify(body) });
  } catch {
    throw new Refusal(0, 'unreachable', 'The server cannot be reached.');
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok)
    throw new Refusal(
      answer.status,
      content.data?.error,
      content.message ?? `The request failed with status ${answer.status}.`,
    );
  return content;
}

/** 256 random bits. */
function randomText() {
  return toText(crypto.getRandomValues(new Uint8Array(32)).buffer);
}

/** base64url without padding. */
function toText(buffer) {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
