import { getSessionState, onSessionChange } from './session-state.js';

/** E-mail address that was typed in this tab before a sign-in. It is kept only in memory. */
let login: string | undefined;

export function rememberLogin(address: string): void {
  login = address;
}

export function rememberedLogin(): string | undefined {
  return login;
}

// The next user of this tab may be a different one.
onSessionChange(() => {
  if (getSessionState().status === 'signed-in') login = undefined;
});
