import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppError } from '../../../kernel/errors/app-error.js';
import { assertDistinct } from '../../../kernel/errors/definition-error.js';
import type { MarkedMethod } from '../../../platform/extension/marked-methods.js';
import { withTimeLimit } from '../../../kernel/time-limit.js';
import { TOKEN_CLAIMS, type TokenClaimContext } from './token-claims.decorator.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Total size of the application's claims in a token, as JSON. Every request sends the token. */
const MAX_BYTES = defineLimit(
  1_024,
  'Accounts',
  'bytes of the custom claims of an application in one token',
  'internal_error',
);
const TIME_LIMIT_MS = 10_000;

@Injectable()
export class TokenClaims implements OnModuleInit {
  private methods: readonly MarkedMethod<{ readonly claim: string }>[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for an invalid name, for two methods of one claim, and for a method that could never run. */
  onModuleInit(): void {
    this.methods = TOKEN_CLAIMS.collect(this.discovery);
    assertDistinct(
      this.methods.map(({ declaration }) => declaration.claim),
      'Two methods return the claim',
    );
  }

  /** @throws AppError `internal_error`, with a private cause, for a failed method and for claims that are too long. */
  async of(context: TokenClaimContext): Promise<Readonly<Record<string, unknown>>> {
    const claims: Record<string, unknown> = {};
    for (const { declaration, name, run } of this.methods) {
      try {
        claims[declaration.claim] = await withTimeLimit(TIME_LIMIT_MS, () => run(context as never));
        if (Buffer.byteLength(JSON.stringify(claims)) <= MAX_BYTES) continue;
        throw new RangeError(`the claims of the application have more than ${MAX_BYTES} bytes in total`);
      } catch (cause) {
        throw new AppError('internal_error', { cause: new Error(`${name} caused the error.`, { cause }) });
      }
    }
    return JSON.parse(JSON.stringify(claims)) as Record<string, unknown>;
  }
}
