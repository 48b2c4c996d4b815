/** Answer of every sign-in and of the refresh. Times are ISO 8601 UTC. */
export interface TokenSet {
  token: string;
  expires: string;
  refresh_token?: string;
  refresh_token_expires?: string;
}

/** Answer of `GET /api/auth/methods`. */
export interface LoginMethods {
  providers: string[];
  local: boolean;
  otp: boolean;
}

/** Answer of `GET /api/auth/me`. */
export interface CurrentUser {
  id: string;
  login: string;
  email: string;
  activated: boolean;
  created_at: string;
  updated_at: string;
  username?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  provider?: string | null;
  roles?: string[];
}

/** Answer of `recover` and `activate/send`; the session is there when codes are used instead of links. */
export interface MailSent {
  message: string;
  session_id?: string;
  /** Seconds. */
  expires_in?: number;
}

/** Answer of `local/register`. */
export interface Registered {
  data: { activation: 'auto' | 'manual' | 'email'; session_id?: string; expires_in?: number };
}

/** How a mail was proven to have arrived: by its link, or by a code typed here. */
export type MailProof = { token: string } | { session_id: string; code: string };

/** One row of `GET /api/auth/sessions`. */
export interface SessionRow {
  id: string;
  /** What signed in, usually the browser's own description. */
  device: string | null;
  /** Network address. */
  address: string | null;
  created_at: string;
  last_used_at: string | null;
  current: boolean;
}

/** A provider that opens an account. */
export interface LinkedProvider {
  provider: string;
  email: string | null;
  created_at: string;
}

/** One row of `GET /api/auth/identities`. */
export interface IdentityRow extends LinkedProvider {
  id: string;
}
