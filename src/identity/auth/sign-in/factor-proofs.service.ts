import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { ClientContext } from '../access/client-context.js';
import { type GuessedSecret, LoginThrottle } from '../login-throttle.service.js';
import { levelOf, SECOND_LEVEL } from '../sessions/factor-classes.public.js';
import { type BindingProof, MfaTokens } from './mfa-tokens.service.js';
import type { FactorAnswer } from './second-factor-method.port.js';
import { SecondFactorMethods } from './second-factor-methods.service.js';
import { ProofRefused, type ProvenAccount } from './sign-in-method.port.js';

export interface BroughtFactor extends FactorAnswer {
  /** Name of its kind, as in `methods`. */
  readonly method: string;
}

interface FactorFields {
  readonly method: string;
  readonly code?: string | null;
  readonly password?: string | null;
  readonly credential?: unknown;
}

/** A password is the code of its method. */
export function broughtFactor({ method, code, password, credential }: FactorFields): BroughtFactor {
  const typed = method === 'password' ? (password ?? code) : code;
  return { method, code: typed ?? undefined, credential: credential ?? undefined };
}

export interface BroughtToken extends BroughtFactor {
  readonly mfaToken: string;
}

/** Consumes the factor. Returns the proven method (`amr`), or null if the factor is wrong. */
export type FactorCheck = (manager?: EntityManager) => Promise<string | null>;

/** Checks second factors. Attempts count for the limits of the account. */
@Injectable()
export class FactorProofs {
  constructor(
    private readonly methods: SecondFactorMethods,
    private readonly tokens: MfaTokens,
    private readonly throttle: LoginThrottle,
  ) {}

  knows(method: string): boolean {
    return this.methods.find(method) !== null;
  }

  /**
   * Consumes a factor of an account.
   *
   * @param provider sign-in method in the audit event of a refusal.
   * @returns the proven method (`amr`).
   * @throws AppError `rate_limited`; `mfa_invalid` for any wrong factor; `token_invalid` if the account was changed meanwhile.
   */
  prove(userId: string, brought: BroughtFactor, client: ClientContext, provider: string): Promise<string> {
    return this.proveWith(userId, brought, client, provider, (check) => check());
  }

  /**
   * Consumes a factor together with another secret, in one transaction. If the other secret is gone, the factor is not consumed.
   *
   * @param work starts the transaction and calls the check in it. If the check returns null, it commits no changes and returns null.
   * @returns the result of the work.
   * @throws AppError `rate_limited`, `mfa_invalid`, and the errors of the work.
   */
  async proveWith<Result>(
    userId: string,
    brought: BroughtFactor,
    client: ClientContext,
    provider: string,
    work: (check: FactorCheck) => Promise<Result | null>,
  ): Promise<Result> {
    const { method: name, ...answer } = brought;
    const method = this.methods.find(name);
    const secret = method?.isGuessable === false ? 'second-factor' : 'second-factor-code';
    await this.throttle.consume(secret, userId, client);
    const check: FactorCheck = async (manager) => (await method?.prove(userId, answer, manager)) ?? null;
    const result = await this.orGivenBack(work(check), secret, userId, client);
    if (result === null) throw new ProofRefused('mfa_invalid', { userId, provider, client });
    await this.throttle.succeed(secret, userId, client);
    return result;
  }

  /** Refunds the attempt if the factor could not be checked. */
  private async orGivenBack<Result>(
    work: Promise<Result>,
    secret: GuessedSecret,
    userId: string,
    client: ClientContext,
  ): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      await this.throttle.giveBack(secret, userId, client);
      throw error;
    }
  }

  /**
   * Completes a sign-in that waits for its second factor. The token is claimed before the factor is checked, so that a late request uses up
   * no recovery code. A wrong factor releases the token.
   *
   * @throws AppError `mfa_token_invalid`, `validation_failed` for a missing factor, `rate_limited`, `mfa_invalid`.
   */
  async complete(brought: BroughtToken, binding: BindingProof, client: ClientContext): Promise<ProvenAccount> {
    const { mfaToken, ...factor } = brought;
    const { userId, data } = await this.tokens.check(mfaToken, binding);
    const { provider, credentialsVersion } = data;
    // A user who has just added a factor has also proven it.
    const isDue = levelOf(data.amr) < SECOND_LEVEL;
    if (isDue && factor.code === undefined && factor.credential === undefined)
      throw AppError.validation([{ field: fieldOf(factor), code: 'required', message: 'is required' }]);
    // A factor of a class that is already proven adds nothing.
    if (isDue && levelOf([...data.amr, factor.method]) < SECOND_LEVEL)
      throw new ProofRefused('mfa_invalid', { userId, provider, client });
    const proven = await this.tokens.spend(mfaToken, async () =>
      isDue ? [await this.prove(userId, { ...factor, credentialsVersion }, client, provider).catch(refuseToken)] : [],
    );
    // The statement that starts the session checks whether the account is active.
    return { userId, provider, client, credentialsVersion, activated: true, amr: [...data.amr, ...proven] };
  }
}

function fieldOf({ method }: BroughtFactor): string {
  return method === 'password' ? 'password' : 'code';
}

/** @throws AppError `mfa_token_invalid` in place of `token_invalid`, because no session has started. */
function refuseToken(error: unknown): never {
  throw error instanceof AppError && error.code === 'token_invalid' ? new AppError('mfa_token_invalid') : error;
}
