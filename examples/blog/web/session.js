/** Key in `sessionStorage`, which ends with the tab. Posts are shown with `textContent`, so they cannot run scripts that read it. */
const KEY = 'session';

/** Returns the signed-in user as `{token, id, email, name}`, or null. */
export function session() {
  const text = sessionStorage.getItem(KEY);
  return text === null ? null : JSON.parse(text);
}

/** Stores the session after a sign-in. */
export function keepSession(value) {
  sessionStorage.setItem(KEY, JSON.stringify(value));
}

/** Removes the session from this tab. `POST /api/auth/logout` revokes it. */
export function forgetSession() {
  sessionStorage.removeItem(KEY);
}
