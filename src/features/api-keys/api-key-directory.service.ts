import { hash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { BearerOfToken } from '../../identity/auth/access/authenticator.port.js';
import { USER_TOPIC } from '../../identity/users/users.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { boundedCache } from '../../kernel/bounded-cache.js';
import { Clock } from '../../kernel/clock.port.js';
import { apiKeyHash } from '../../kernel/keys/api-key-format.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { LastUses } from '../../platform/database/database.public.js';
import { type AddressRange, clientBlock, isAddressIn, parseAddressRange } from '../../platform/http/http.public.js';
import { ChangeListener } from '../../platform/events/change-listener.service.js';
import { Scheduled } from '../../platform/jobs/job.decorators.js';
import { KeyLookups, type KeyRow } from './key-lookups.js';
import { defineLimit } from '../../kernel/limits.js';

/** Topic of keys that end, or that expire sooner than they did. The notice has the hash of the key. */
export const API_KEY_TOPIC = 'api-key';

interface Entry {
  readonly id: string;
  readonly userId: string;
  readonly expiresAtMs: number;
  /** Null for a key that may come from everywhere. */
  readonly addresses: readonly AddressRange[] | null;
  /** Null while its owner is shut out. */
  readonly principal: AccountPrincipal | null;
}

/** Client that sends a key. Its address is read when it is needed: behind proxies, that is work. */
type Client = { readonly ip: string };

/** @internal */
const MAX_KEYS = 20_000;
const ACTIVITY_INTERVAL_MS = 60_000;
/** Unknown keys of a client address in a minute. Beyond them, its keys are looked up together with those of others, and refused as too many if they are unknown. */
const MOST_UNKNOWN = defineLimit(300, 'API keys', 'unknown keys from one client address in a minute', 'rate_limited');
const UNKNOWN_MS = 60_000;
/**
 * The keys that are in use, with whom they stand for: from memory in the usual case, and never older than the last notice
 * of a change. A key that there is not costs a query the first time, and no address many of them.
 */
@Injectable()
export class ApiKeyDirectory implements OnModuleInit, OnApplicationShutdown {
  private readonly entries = boundedCache<Entry>(MAX_KEYS);
  private readonly unknown = boundedCache<true>(MAX_KEYS, UNKNOWN_MS);
  /** Look-ups in vain, by client address. */
  private readonly misses = boundedCache<number>(MAX_KEYS, UNKNOWN_MS);
  private readonly lookups: KeyLookups;
  /** One a key, however many requests bring it at once. */
  private readonly loading = new Map<string, Promise<Entry>>();
  private readonly uses: LastUses;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeListener,
    private readonly clock: Clock,
  ) {
    this.lookups = new KeyLookups(dataSource);
    this.uses = new LastUses('api_keys', dataSource, clock);
  }

  onModuleInit(): void {
    const resync = (): void => this.entries.clear();
    this.changes.subscribe(API_KEY_TOPIC, { changed: (keyHash) => this.entries.delete(keyHash), resync });
    this.changes.subscribe(USER_TOPIC, { changed: (id) => this.forgetUser(id), resync });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /**
   * Returns whom a key stands for: the very same object until something changes, and without a promise in the usual case.
   *
   * @param client that sends it; what has no right form is told without a look at any table.
   * @throws AppError `key_invalid`, also if its owner is shut out; `key_expired`; `key_address_refused`; `rate_limited` for a client
   * that tries many.
   */
  find(key: string, client: Client): AccountPrincipal | Promise<AccountPrincipal> {
    const entry = this.entry(key, client);
    return entry instanceof Promise ? entry.then((loaded) => this.admit(loaded, client)) : this.admit(entry, client);
  }

  /**
   * Returns whom a key stands for that another service was sent. It does not tell by whom: a key that is bound to addresses is good
   * here alone.
   *
   * @throws AppError `key_invalid`, `key_expired`, `key_address_refused`
   */
  async bearer(key: string): Promise<BearerOfToken> {
    const entry = await this.entry(key, null);
    return { principal: this.admit(entry, null), expiresAtMs: entry.expiresAtMs };
  }

  /** Writes when keys were used last. */
  @Scheduled({ name: 'keys.activity', everyMs: ACTIVITY_INTERVAL_MS, on: 'each instance' })
  async flush(): Promise<void> {
    await this.uses.flush();
  }

  private admit({ id, principal, expiresAtMs, addresses }: Entry, client: Client | null): AccountPrincipal {
    if (principal === null) throw new AppError('key_invalid');
    if (expiresAtMs <= this.clock.nowMs()) throw new AppError('key_expired');
    if (addresses !== null && (client === null || !isAddressIn(client.ip, addresses)))
      throw new AppError('key_address_refused');
    this.uses.note(id);
    return principal;
  }

  /** @param client null for a service that is trusted to ask. */
  private entry(key: string, client: Client | null): Entry | Promise<Entry> {
    const entry = this.changes.isFresh() ? this.entries.get(hash('sha256', key)) : undefined;
    if (entry !== undefined) return entry;
    const keyHash = apiKeyHash(key);
    if (keyHash === null || this.unknown.has(keyHash)) throw new AppError('key_invalid');
    const loading =
      this.loading.get(keyHash) ?? this.load(keyHash, client?.ip ?? null).finally(() => this.loading.delete(keyHash));
    this.loading.set(keyHash, loading);
    return loading;
  }

  /**
   * Loads a key. A try is counted before the look-up, and given back unless the key is unknown. The budget of an address never decides
   * about a key that exists: other clients of the address may have used it up.
   */
  private async load(keyHash: string, address: string | null): Promise<Entry> {
    const client = address === null ? null : clientBlock(address);
    const isCounted = this.spend(client);
    const { epoch } = this.changes;
    const row = await (isCounted ? this.lookups.find(keyHash) : this.lookups.findTogether(keyHash)).catch(
      (error: unknown) => {
        if (isCounted) this.refund(client);
        throw error;
      },
    );
    if (row === undefined) {
      this.unknown.set(keyHash, true);
      throw isCounted ? new AppError('key_invalid') : this.tooMany(client);
    }
    if (isCounted) this.refund(client);
    const entry = entryOf(row);
    if (this.changes.epoch === epoch) this.entries.set(keyHash, entry);
    return entry;
  }

  /** Counts a try, and returns whether the address had one left. */
  private spend(client: string | null): boolean {
    if (client === null || !this.config.rateLimitEnabled) return true;
    const misses = this.misses.get(client) ?? 0;
    if (misses >= MOST_UNKNOWN) return false;
    this.setMisses(client, misses + 1);
    return true;
  }

  private tooMany(client: string | null): AppError {
    const remainingMs = client === null ? 0 : this.misses.getRemainingTTL(client);
    return new AppError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1_000)) });
  }

  private refund(client: string | null): void {
    const misses = client === null ? undefined : this.misses.get(client);
    if (client !== null && misses !== undefined) this.setMisses(client, Math.max(0, misses - 1));
  }

  /** Sets the misses of a minute, which begins with the first of them. */
  private setMisses(client: string, misses: number): void {
    this.misses.set(client, misses, { noUpdateTTL: this.misses.has(client) });
  }

  private forgetUser(userId: string): void {
    for (const [keyHash, entry] of this.entries) if (entry.userId === userId) this.entries.delete(keyHash);
  }
}

function entryOf({ id, userId, email, activated, roleIds, ...row }: KeyRow): Entry {
  const scopes = row.scopes?.map((scope) => ({ ...scope, schemaVersion: row.schemaVersion })) ?? null;
  const key = Object.freeze({ id, scopes });
  const principal = Object.freeze({ kind: 'account' as const, userId, sessionId: id, key, email, roleIds });
  const expiresAtMs = row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  // What was stored was read by the same reader before.
  const addresses = row.addresses?.map(parseAddressRange).filter((range) => range !== null) ?? null;
  return { id, userId, expiresAtMs, addresses, principal: activated ? principal : null };
}
