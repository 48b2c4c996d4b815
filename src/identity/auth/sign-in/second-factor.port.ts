import { Injectable } from '@nestjs/common';
import type { AppError } from '../../../kernel/app-error.js';
import type { ProvenAccount } from './sign-in-method.port.js';

/** The step of a sign-in that asks for more than the first proof. Whatever it answers, nothing exists yet that is a session. */
export abstract class SecondFactor {
  /**
   * Returns the answer by which the person is asked for a factor that is due, or null if none is. The facts that decide
   * come with the account: an account without factors costs no statement.
   */
  abstract due(account: ProvenAccount): AppError | null | Promise<AppError | null>;
}

/** No account has a second factor. */
@Injectable()
export class NoSecondFactor extends SecondFactor {
  due(): null {
    return null;
  }
}

declare module '../../../kernel/ports.js' {
  interface KnownPorts {
    readonly secondFactor: SecondFactor;
  }
}
