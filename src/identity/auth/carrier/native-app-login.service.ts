import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { ExchangeCodes } from '../exchange/exchange-codes.service.js';
import type { ProvenAccount } from '../sign-in/sign-in-method.port.js';
import { type Proof, SignInService } from '../sign-in/sign-in.service.js';
import { CliCarrierService, type CliTarget } from './cli-carrier.service.js';

/** Returns the id of the browser's session, if the browser has one or gets one. */
export type BrowserSessionOf = (account: ProvenAccount) => string | undefined | Promise<string | undefined>;

/** Completes native-app logins of all sign-in methods (specification, "Native-app (CLI) login", step 4). */
@Injectable()
export class NativeAppLogin {
  constructor(
    private readonly carriers: CliCarrierService,
    private readonly codes: ExchangeCodes,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Completes a sign-in and returns the app's address with `code` and `state`. A used carrier is rejected before any secret is checked. If
   * a step fails, for example for a mistyped password, the carrier is released.
   *
   * @param sessionOf called if a link started the login. The app's tokens then belong to that session.
   * @throws AppError `carrier_invalid` if the carrier has expired or already completed a sign-in; the errors of the steps.
   */
  async complete(target: CliTarget, prove: Proof, sessionOf?: BrowserSessionOf): Promise<string> {
    const used = await this.carriers.consume(target.carrier);
    if (used === null) throw new AppError('carrier_invalid');
    try {
      return await this.finish(used, prove, sessionOf);
    } catch (error) {
      await this.carriers.release(target.carrier);
      throw error;
    }
  }

  private async finish(used: CliTarget, prove: Proof, sessionOf?: BrowserSessionOf): Promise<string> {
    const account = await this.signIns.allow(prove, { carrier: used.carrier });
    const sessionId = used.isLinked ? await sessionOf?.(account) : undefined;
    const code = await this.codes.issue(account, { codeChallenge: used.codeChallenge, sessionId });
    return answerAddress(used.redirectUri, code, used.correlation);
  }
}

/** Keeps an existing query of the address (RFC 6749 §4.1.2). */
function answerAddress(redirectUri: string, code: string, state: string): string {
  const address = new URL(redirectUri);
  const answer = `code=${encodeURIComponent(code)}&state=${encodeURIComponent(state)}`;
  address.search = address.search === '' ? answer : `${address.search}&${answer}`;
  return address.href;
}
