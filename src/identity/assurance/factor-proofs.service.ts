import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { namedProviders } from '../../platform/extension/module-settings.js';
import type { ClientContext } from '../auth/auth.public.js';
import { LoginThrottle } from '../auth/login-throttle.service.js';
import { levelOf, SECOND_LEVEL } from '../auth/access/assurance.public.js';
import { type BindingProof, MfaTokens } from './mfa-tokens/mfa-tokens.service.js';
import { type FactorAnswer, SecondFactorMethod } from './second-factor-method.port.js';
import { ProofRefused, type ProvenAccount } from '../auth/sign-in/sign-in-method.port.js';

export interface PresentedFactor extends FactorAnswer {
  /** Name of its kind, as in `methods`. */
  readonly method: string;
}

/** A proof as a request body contains it. */
export interface FactorFields {
  readonly method: string;
  readonly code?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly credential?: unknown;
}

/** A password is the code of its method. */
export function presentedFactor({ method, code, password, credential }: FactorFields): PresentedFactor {
  const typed = method === 'password' ? (password ?? code) : code;
  return { method, code: typed ?? undefined, credential: credential ?? undefined };
}

/** Consumes the factor. Returns the proven method (`amr`), or null if the factor is wrong. */
export type FactorCheck = (manager?: EntityManager) => Promise<string | null>;

/** Checks second factors of all kinds. Attempts count for the limits of the account. */
@Injectable()
export class FactorProofs implements OnModuleInit {
  private methods: ReadonlyMap<string, SecondFactorMethod> = new Map();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly tokens: MfaTokens,
    private readonly throttle: LoginThrottle,
  ) {}

  /** @throws DefinitionError for two kinds with the same name. */
  onModuleInit(): void {
    const what = 'Two kinds of second factors have the name';
    const methods = namedProviders(this.discovery, SecondFactorMethod, ({ name }) => [name], what);
    this.methods = new Map(methods.map((method) => [method.name, method]));
  }

  isFactor(method: string): boolean {
    return this.methods.has(method);
  }

  listAddable(): readonly string[] {
    return [...this.methods.values()].flatMap(({ isAddable, name }) => (isAddable ? [name] : [])).sort();
  }

  /** Omits kinds of a class that is already proven, because they add nothing. */
  async listFor(manager: EntityManager, userId: string, proven: readonly string[]): Promise<readonly string[]> {
    const ready: string[] = [];
    for (const method of this.methods.values()) {
      const adds = levelOf([...proven, method.name]) === SECOND_LEVEL;
      if (adds && (await method.isReady(manager, userId))) ready.push(method.name);
    }
    return ready.sort();
  }

  /** Consumes a factor and returns the proven method (`amr`). @param provider sign-in method in the audit event of a refusal. */
  prove(userId: string, factor: PresentedFactor, client: ClientContext, provider: string): Promise<string> {
    return this.proveWith(userId, factor, client, provider, (check) => check());
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
    factor: PresentedFactor,
    client: ClientContext,
    provider: string,
    work: (check: FactorCheck) => Promise<Result | null>,
  ): Promise<Result> {
    const { method: name, ...answer } = factor;
    const method = this.methods.get(name);
    const secret = method?.isGuessable === false ? 'second-factor' : 'second-factor-code';
    await this.throttle.consume(secret, userId, client);
    const check: FactorCheck = async (manager) => (await method?.prove(userId, answer, manager)) ?? null;
    // An attempt whose factor could not be checked is refunded.
    const result = await work(check).catch(async (error: unknown) => {
      await this.throttle.refund(secret, userId, client);
      throw error;
    });
    if (result === null) throw new ProofRefused('mfa_invalid', { userId, provider, client });
    await this.throttle.succeed(secret, userId, client);
    return result;
  }

  /**
   * Completes a sign-in that waits for its second factor. The token is claimed before the factor is checked, so that a late request uses up
   * no recovery code. A wrong factor releases the token.
   *
   * @throws AppError `mfa_token_invalid`, `validation_failed` for a missing factor, `rate_limited`, `mfa_invalid`.
   */
  async complete(
    { mfaToken, ...factor }: PresentedFactor & { readonly mfaToken: string },
    binding: BindingProof,
    client: ClientContext,
  ): Promise<ProvenAccount> {
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

function fieldOf({ method }: PresentedFactor): string {
  return method === 'password' ? 'password' : 'code';
}

/** @throws AppError `mfa_token_invalid` in place of `token_invalid`, because no session has started. */
function refuseToken(error: unknown): never {
  throw error instanceof AppError && error.code === 'token_invalid' ? new AppError('mfa_token_invalid') : error;
}
