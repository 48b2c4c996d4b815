import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { ExchangeCodes } from '../exchange/exchange-codes.service.js';
import type { NewSession } from '../sessions/session.service.js';
import { CliCarrierService, type CliTarget } from './cli-carrier.service.js';

/** The end of every native-app login, whichever way in it was (specification, "Native-app (CLI) login", step 4). */
@Injectable()
export class NativeAppLogin {
  constructor(
    private readonly carriers: CliCarrierService,
    private readonly codes: ExchangeCodes,
  ) {}

  /**
   * Uses the carrier up, issues a code that is bound to the app's challenge, and answers the address that the browser is
   * sent to: the app's own with `code` and `state`. Call it only once the person is proven, so that a mistyped password
   * does not cost the carrier.
   *
   * @throws AppError `carrier_invalid` where the carrier has expired or completed a sign-in before.
   */
  async complete(target: CliTarget, session: NewSession): Promise<string> {
    const used = await this.carriers.consume(target.carrier);
    if (used === null) throw new AppError('carrier_invalid');
    const code = await this.codes.issue(session, { codeChallenge: used.codeChallenge });
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
