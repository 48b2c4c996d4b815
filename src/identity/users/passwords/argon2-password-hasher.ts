import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import pLimit from 'p-limit';
import { defineCounter, type Reading } from '../../../kernel/metrics.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { Measures } from '../../../platform/metrics/measures.decorator.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { randomToken } from '../../../kernel/keys/random.js';
import { PasswordHasher } from './password-hasher.port.js';

/** `memoryCost` is in KiB, `timeCost` in passes, `parallelism` in lanes. */
export type Argon2Settings = Readonly<Record<'algorithm' | 'memoryCost' | 'timeCost' | 'parallelism', number>>;

/** argon2id with the parameters of RFC 9106 §4: 19 MiB, two passes, one lane. `2` is argon2id. */
const SETTINGS: Argon2Settings = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** @internal */
const MAX_CONCURRENT = 3;
/** Longest queue: about a second of work. @internal */
const MAX_WAITING = 128;

const REFUSED = defineCounter({
  name: 'lintel_password_hashes_refused_total',
  help: 'Password hashes rejected with 503 because the queue was full.',
  labels: {},
});

/** argon2id in a bounded pool, so that many sign-ins cannot block other requests. */
@Injectable()
export class Argon2PasswordHasher extends PasswordHasher implements OnModuleInit {
  protected readonly settings: Argon2Settings = SETTINGS;
  private readonly pool: ReturnType<typeof pLimit>;
  private decoy = '';

  constructor(@Inject(CONFIG) { workers }: Config) {
    super();
    this.pool = pLimit(hashesAtOnce(availableParallelism(), workers));
  }

  async onModuleInit(): Promise<void> {
    this.decoy = await hash(randomToken(), this.settings);
  }

  hash(password: string): Promise<string> {
    return this.bounded(() => hash(password, this.settings));
  }

  verify(stored: string | null, password: string): Promise<boolean> {
    return this.bounded(async () => {
      const matches = await verify(stored ?? this.decoy, password).catch(() => false);
      return stored !== null && matches;
    });
  }

  needsRehash(stored: string): boolean {
    const { memoryCost, timeCost, parallelism } = this.settings;
    return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
  }

  @Measures({ name: 'lintel_password_hashes', help: 'Password hashes in progress and in the queue.' })
  hashes(): readonly Reading[] {
    return [
      { labels: { state: 'running' }, value: this.pool.activeCount },
      { labels: { state: 'waiting' }, value: this.pool.pendingCount },
    ];
  }

  private async bounded<T>(work: () => Promise<T>): Promise<T> {
    if (this.pool.pendingCount < MAX_WAITING) return this.pool(work);
    REFUSED.inc({});
    throw new AppError('server_busy', { retryAfterSeconds: 1 });
  }
}

/** A hash keeps a core busy for some milliseconds. One core stays free for other work, and the workers share the rest. */
export function hashesAtOnce(cores: number, workers: number): number {
  return Math.min(MAX_CONCURRENT, Math.max(1, Math.floor((cores - 1) / workers)));
}
