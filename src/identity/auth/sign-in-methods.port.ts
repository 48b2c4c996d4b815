import type { ClientContext } from './access/client-context.js';
import type { Credentials } from '../users/users.service.js';
import type { NewSession } from './sessions/session.service.js';

/** Proves a person by login and password. LocalModule provides it. */
export abstract class PasswordLogin {
  /**
   * Checks the password and answers the session that may begin.
   *
   * @param login a username or an e-mail address.
   * @throws AppError `rate_limited`, `invalid_credentials` or `account_inactive`.
   */
  abstract verify(login: string, password: string, client: ClientContext): Promise<NewSession>;

  /**
   * Checks the password of a signed-in person once more, against the same budget.
   *
   * @throws AppError `rate_limited` or `invalid_credentials`.
   */
  abstract confirm(
    user: Pick<Credentials, 'id' | 'passwordHash'>,
    password: string,
    client: ClientContext,
  ): Promise<void>;
}

/** Proves a person by the code that was mailed to their address. OtpModule provides it. */
export abstract class OtpLogin {
  /**
   * Consumes the code and answers the session that may begin.
   *
   * @throws AppError `rate_limited`, `otp_disabled` or `otp_invalid`.
   */
  abstract verify(email: string, code: string, client: ClientContext): Promise<NewSession>;
}
