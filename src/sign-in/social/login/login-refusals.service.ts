import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { reasonOf } from '../providers/provider-failure.js';
import { type LoginRedirect, type LoginPage, refused } from './login-redirect.js';

/** The one place where a failed login is told: to the log with its reason, to the person without. */
@Injectable()
export class LoginRefusals {
  private readonly logger = new Logger('Social');

  /**
   * The landing of a failure.
   *
   * @throws whatever is no refusal of ours: the error filter answers and logs it.
   */
  redirect(error: unknown, provider: string, page: LoginPage): LoginRedirect {
    if (!(error instanceof AppError)) throw error;
    const { code, cause, status } = error;
    const told = { provider, error: code, reason: reasonOf(cause), msg: 'A federated login was refused.' };
    if (status === 500) this.logger.error({ ...told, err: cause });
    else if (status > 500) this.logger.warn(told);
    else this.logger.debug(told);
    return refused(error, page);
  }
}
