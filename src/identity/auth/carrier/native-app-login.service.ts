import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { ExchangeCodes } from '../exchange/exchange-codes.service.js';
import type { ProvenAccount } from '../sign-in/sign-in-method.port.js';
import { type Proof, SignInService } from '../sign-in/sign-in.service.js';
import { CliCarrierService, type CliTarget } from './cli-carrier.service.js';

/** Returns the session of the browser that an account signs in at, if it has one or gets one. */
export type BrowserSessionOf = (account: ProvenAccount) => string | undefined | Promise<string | undefined>;

/** The end of every native-app login, whichever way in it was (specification, "Native-app (CLI) login", step 4). */
@Injectable()
export class NativeAppLogin {
  constructor(
    private readonly carriers: CliCarrierService,
    private readonly codes: ExchangeCodes,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Uses the carrier up, takes the sign-in through the steps before the session, issues a code that is bound to the app's
   * challenge, and answers the address that the browser is sent to: the app's own with `code` and `state`. A used carrier is refused
   * before any secret is checked. If a step refuses, such as for a mistyped password, the carrier is given back.
   *
   * @param sessionOf asked if the app came by a link: its tokens are then of that session.
   * @throws AppError `carrier_invalid` if the carrier has expired or completed a sign-in before, and what the steps refuse
   *   with.
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

/** Appends `code` and `state` to the query that the address may have already (RFC 6749 §4.1.2). */
function answerAddress(redirectUri: string, code: string, state: string): string {
  const address = new URL(redirectUri);
  const answer = `code=${encodeURIComponent(code)}&state=${encodeURIComponent(state)}`;
  address.search = address.search === '' ? answer : `${address.search}&${answer}`;
  return address.href;
}
