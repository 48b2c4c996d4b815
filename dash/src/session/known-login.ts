import { getSessionState, onSessionChange } from './session-state.js';

/** E-mail address that was typed in this tab before a sign-in. It is kept in memory only. */
let login: string | undefined;

/** Keeps an address for the sign-in form of this tab. */
export function setKnownLogin(address: string): void {
  login = address;
}

/** Returns the address that the sign-in form starts with. */
export function knownLogin(): string | undefined {
  return login;
}

// The next person at this tab may be another one.
onSessionChange(() => {
  if (getSessionState().status === 'signed-in') login = undefined;
});
