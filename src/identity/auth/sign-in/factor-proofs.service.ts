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

/** A second factor that somebody brings. */
export interface BroughtFactor extends FactorAnswer {
  /** Name of its kind, as in `methods`. */
  readonly method: string;
}

/** Second factor in the body of a request. */
interface FactorFields {
  readonly method: string;
  readonly code?: string | null;
  readonly password?: string | null;
  readonly credential?: unknown;
}

/** Returns the second factor of a body. A password is the code of its method. */
export function broughtFactor({ method, code, password, credential }: FactorFields): BroughtFactor {
  const typed = method === 'password' ? (password ?? code) : code;
  return { method, code: typed ?? undefined, credential: credential ?? undefined };
}

/** A second factor that somebody brings to a sign-in. */
export interface BroughtToken extends BroughtFactor {
  readonly mfaToken: string;
}

/**
 * Uses up the factor, in a transaction if there is one.
 *
 * @returns the methods that were proven; null if there is none.
 */
export type FactorCheck = (manager?: EntityManager) => Promise<string | null>;

/** Checks second factors, for whoever asks for one. Tries are counted with those of the account. */
@Injectable()
export class FactorProofs {
  constructor(
    private readonly methods: SecondFactorMethods,
    private readonly tokens: MfaTokens,
    private readonly throttle: LoginThrottle,
  ) {}

  /** Returns whether there is such a kind of factors. */
  knows(method: string): boolean {
    return this.methods.find(method) !== null;
  }

  /**
   * Uses up a factor of an account.
   *
   * @param provider what the refusal is told of in the audit log.
   * @returns the proven methods (`amr`).
   * @throws AppError `rate_limited`, `mfa_invalid` whatever is wrong with it; `token_invalid` if the account was changed meanwhile.
   */
  prove(userId: string, brought: BroughtFactor, client: ClientContext, provider: string): Promise<string> {
    return this.proveWith(userId, brought, client, provider, (check) => check());
  }

  /**
   * Uses up a factor of an account together with another secret, in one transaction: if the other secret is gone, the factor stays.
   *
   * @param work begins the transaction and calls the check in it. If the check returns null, it commits no changes and returns null.
   * @returns the result of the work.
   * @throws AppError `rate_limited`, `mfa_invalid`, and what the work throws.
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

  /** Gives the attempt back if the factor could not be checked: it was no guess. */
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
   * Proves the account of a sign-in that waits for its second factor. The token is claimed before the factor is checked, so that a
   * request that is too late uses up no recovery code. A wrong factor gives the token back.
   *
   * @throws AppError `mfa_token_invalid`, `validation_failed` if nothing was brought, `rate_limited`, `mfa_invalid`.
   */
  async complete(brought: BroughtToken, binding: BindingProof, client: ClientContext): Promise<ProvenAccount> {
    const { mfaToken, ...factor } = brought;
    const { userId, data } = await this.tokens.check(mfaToken, binding);
    const { provider, credentialsVersion } = data;
    // Whoever has just added a factor has proven it by that.
    const isDue = levelOf(data.amr) < SECOND_LEVEL;
    if (isDue && factor.code === undefined && factor.credential === undefined)
      throw AppError.validation([{ field: fieldOf(factor), code: 'required', message: 'is required' }]);
    // What is of the class that was proven already adds nothing to it.
    if (isDue && levelOf([...data.amr, factor.method]) < SECOND_LEVEL)
      throw new ProofRefused('mfa_invalid', { userId, provider, client });
    const proven = await this.tokens.spend(mfaToken, async () =>
      isDue ? [await this.prove(userId, { ...factor, credentialsVersion }, client, provider).catch(refuseToken)] : [],
    );
    // Whether the account is active, the session's statement asks.
    return { userId, provider, client, credentialsVersion, activated: true, amr: [...data.amr, ...proven] };
  }
}

function fieldOf({ method }: BroughtFactor): string {
  return method === 'password' ? 'password' : 'code';
}

/** @throws AppError `mfa_token_invalid` in place of `token_invalid`: no session has begun. */
function refuseToken(error: unknown): never {
  throw error instanceof AppError && error.code === 'token_invalid' ? new AppError('mfa_token_invalid') : error;
}
