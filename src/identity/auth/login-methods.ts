import type { AuthConfig } from '../../platform/config/config.types.js';

/** The body of `GET /api/auth/methods` (specification, "Login methods"). */
export interface LoginMethods {
  readonly providers: readonly string[];
  readonly local: boolean;
  readonly otp: boolean;
}

/** Which ways in are offered: names only, never secrets. In federated-only mode neither password nor code is. */
export function loginMethods(auth: AuthConfig): LoginMethods {
  const local = !auth.localLoginDisabled;
  return { providers: auth.providers.map(({ name }) => name), local, otp: local && auth.otp.enabled };
}
