import { LINTEL } from './config.js';

/**
 * Signing in to this app on Lintel's page. Tokens live in this module's memory and nowhere else: no storage, no cookie, no
 * address. A reload has none, so it goes to Lintel's page once more, where the browser is signed in still.
 */
let tokens = null;
/** One renewal at a time: whoever asks meanwhile waits for the same one. */
let renewal = null;

/** The address that is listed in `AUTH_CLI_ALLOWED_REDIRECT_URIS`, to the last character. */
const REDIRECT_URI = `${location.origin}/`;
/** In `sessionStorage` while the person is on Lintel's page: what proves that this tab asked. */
const PENDING = 'sign-in';
/** In `sessionStorage` as long as this tab is signed in: that it is, and not by what. */
const SIGNED_IN = 'signed-in';

/** What Lintel refused, by the word of its envelope; `unreachable` where no answer came. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Other tabs of this app: the session is one, so signing out is for all of them. */
const tabs = new BroadcastChannel('session');

/** Calls `listener` when the session has ended without this tab asking for it. */
export function onEnded(listener) {
  tabs.addEventListener('message', () => {
    if (tokens === null) return;
    forget();
    listener();
  });
}

/**
 * First of all: takes the answer of Lintel's page out of the address, or goes there if this tab was signed in before it was
 * loaded anew. Answers whether it is signed in.
 */
export async function start() {
  const answer = takeAnswer();
  if (answer !== null) {
    keep(await post('/api/auth/exchange', answer));
    return true;
  }
  // Forgotten first: whoever comes back from there by the back button stays here.
  const wasSignedIn = sessionStorage.getItem(SIGNED_IN) !== null;
  sessionStorage.removeItem(SIGNED_IN);
  if (wasSignedIn) await signIn();
  return false;
}

/** Leaves for Lintel's page (RFC 7636, RFC 6749 §4.1). */
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

/** Ends the session, here and on Lintel's page. Throws where Lintel did not hear of it: one is signed in still. */
export async function signOut() {
  try {
    await call('POST', '/api/auth/logout');
  } catch (error) {
    if (error.status !== 401) throw error;
  }
  forget();
  tabs.postMessage('left');
}

/** Asks Lintel as the person who is signed in. A token that has ended is renewed, and the request sent once more. */
export async function call(method, path, body) {
  const used = tokens;
  if (used === null) throw new Refusal(401, 'token_missing', 'You are not signed in.');
  try {
    return await send(method, path, body, used.token);
  } catch (error) {
    if (error.status !== 401) throw error;
    if (tokens === used) await renew();
    if (tokens === null) throw error;
    return send(method, path, body, tokens.token);
  }
}

/** Asks for the next tokens; the ones before are used up by it. */
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
    // The session is over. Where no answer came it may not be.
    if (error.status !== 401) throw error;
    forget();
  }
}

/** The code of the address, with the verifier of this tab. Whatever the address had is gone from it, and from the history. */
function takeAnswer() {
  const query = new URLSearchParams(location.search);
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? 'null');
  sessionStorage.removeItem(PENDING);
  if (!query.has('code')) return null;
  history.replaceState(null, '', REDIRECT_URI);
  // Whoever sent this link would sign the reader in as somebody else.
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
    throw new Refusal(0, 'unreachable', 'The service cannot be reached.');
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, content.data?.error, content.message ?? 'This did not work.');
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
