import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { CliLoginSettings } from '../../identity/auth/carrier/cli-login-settings.port.js';
import { type BrowserSessionOf, NativeAppLogin } from '../../identity/auth/carrier/native-app-login.service.js';
import type { BrowserProof } from '../../identity/auth/browser/browser-session.service.js';
import type { ClientContext } from '../../identity/auth/auth.public.js';
import type { ProvenAccount } from '../../identity/auth/sign-in/sign-in-method.port.js';
import { FactorProofs, presentedFactor } from '../../identity/assurance/factor-proofs.service.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { parseRedirectTarget } from '../../kernel/addresses/redirect-target.js';
import type { AuthorizeQuery, CliFactorDto, InitiateDto } from './initiate.dto.js';

/** Response of `cli/initiate`. */
export class InitiatedLogin {
  @ApiProperty() readonly carrier: string;
  @ApiProperty({ description: 'URL, relative to the origin of the service, that the app opens in a browser.' })
  readonly authorize_url: string;
}

/** Called after a second factor has completed the sign-in. */
export type OnProven = (account: ProvenAccount) => Promise<void>;

@Injectable()
export class CliLoginService {
  constructor(
    private readonly settings: CliLoginSettings,
    @Inject(CONFIG) private readonly config: Config,
    private readonly nativeApps: NativeAppLogin,
    private readonly factors: FactorProofs,
  ) {}

  /** @throws AppError `redirect_uri_not_allowed`. */
  initiate(input: InitiateDto, isLinked = false): InitiatedLogin {
    const { redirect_uri: redirectUri, correlation, code_challenge: codeChallenge } = input;
    const { allowedRedirectHosts, allowedRedirectUris } = this.settings;
    if (parseRedirectTarget(redirectUri, allowedRedirectHosts, allowedRedirectUris) === null)
      throw new AppError('redirect_uri_not_allowed');
    const carrier = this.nativeApps.sign({ redirectUri, correlation, codeChallenge, isLinked });
    return { carrier, authorize_url: `${this.config.basePath}/dash/login?cli=${carrier}` };
  }

  /**
   * Starts the sign-in to a web app from a link and returns the URL of the sign-in page. If `allowedRedirectUris` is set, the redirect URI
   * must be one of them.
   *
   * @throws AppError `cli_login_disabled`, `redirect_uri_not_allowed`.
   */
  authorize({ redirect_uri, state: correlation, code_challenge }: AuthorizeQuery): string {
    const { enabled, allowedRedirectUris } = this.settings;
    if (!enabled) throw new AppError('cli_login_disabled');
    if (allowedRedirectUris.length > 0 && !allowedRedirectUris.includes(redirect_uri))
      throw new AppError('redirect_uri_not_allowed');
    return this.initiate({ redirect_uri, correlation, code_challenge }, true).authorize_url;
  }

  /** @throws AppError `carrier_invalid`, `mfa_token_invalid` (also for the token of another sign-in), `mfa_invalid`. */
  async withFactor(
    input: CliFactorDto,
    client: ClientContext,
    sessionOf?: BrowserSessionOf,
    onProven?: OnProven,
  ): Promise<string> {
    const { carrier, mfa_token: mfaToken } = input;
    const proven: ProvenAccount[] = [];
    const prove = async (): Promise<ProvenAccount> => {
      const account = await this.factors.complete({ mfaToken, ...presentedFactor(input) }, { carrier }, client);
      proven.push(account);
      return account;
    };
    const url = await this.nativeApps.complete(carrier, prove, sessionOf);
    for (const account of proven) await onProven?.(account);
    return url;
  }

  /** @throws AppError `carrier_invalid` (also for the carrier of a native app), and the errors of the session check. */
  async withSession(carrier: string, prove: () => Promise<BrowserProof>): Promise<string> {
    if (this.nativeApps.read(carrier)?.isLinked !== true) throw new AppError('carrier_invalid');
    const { account, sessionId } = await prove();
    return this.nativeApps.complete(
      carrier,
      () => account,
      () => sessionId,
    );
  }
}
