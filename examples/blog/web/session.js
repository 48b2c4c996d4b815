/** Kept by the tab, and forgotten with it. Whatever is shown goes through `textContent`, so that no post can read it. */
const KEY = 'session';

/** Who is signed in: `{token, id, email, name}`, or null. */
export function session() {
  const text = sessionStorage.getItem(KEY);
  return text === null ? null : JSON.parse(text);
}

/** Keeps the session of a person who has signed in. */
export function keepSession(value) {
  sessionStorage.setItem(KEY, JSON.stringify(value));
}

/** Forgets it in this tab; `POST /api/auth/logout` ends it. */
export function forgetSession() {
  sessionStorage.removeItem(KEY);
}
