import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pLimit from 'p-limit';
import { DataSource } from 'typeorm';
import type { BearerOfToken } from '../../identity/auth/access/authenticator.port.js';
import { USER_TOPIC } from '../../identity/users/users.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { boundedCache } from '../../kernel/bounded-cache.js';
import { Clock } from '../../kernel/clock.port.js';
import { apiKeyHash } from '../../kernel/keys/api-key-format.js';
import type { AccountPrincipal, KeyScope } from '../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { LastUses, prepared } from '../../platform/database/database.public.js';
import { type AddressRange, clientBlock, isAddressIn, parseAddressRange } from '../../platform/http/http.public.js';
import { ChangeListener } from '../../platform/events/change-listener.service.js';
import { Scheduled } from '../../platform/jobs/job.decorators.js';
import { defineLimit } from '../../kernel/limits.js';

/** Change topic of revoked keys and of keys with an earlier expiry. The notification contains the hash of the key. */
export const API_KEY_TOPIC = 'api-key';

interface KeyRow {
  readonly id: string;
  readonly keyHash: string;
  readonly userId: string;
  readonly email: string;
  readonly activated: boolean;
  readonly expiresAt: Date | null;
  readonly scopes: readonly KeyScope[] | null;
  readonly addresses: readonly string[] | null;
  readonly schemaVersion: number;
  readonly roleIds: readonly string[];
}

interface Entry {
  readonly id: string;
  readonly userId: string;
  readonly expiresAtMs: number;
  /** Null for a key without address restriction. */
  readonly addresses: readonly AddressRange[] | null;
  /** Null while its owner is deactivated. */
  readonly principal: AccountPrincipal | null;
}

/** The client of a request. `ip` is read lazily, because it is expensive behind proxies. */
type Client = { readonly ip: string };

/** @internal */
const MAX_KEYS = 20_000;
const ACTIVITY_INTERVAL_MS = 60_000;
/**
 * Unknown keys per client address and minute. Beyond the limit, keys of the address are looked up in a batch with others. An unknown key is
 * then refused with `rate_limited`.
 */
const MAX_UNKNOWN_PER_MINUTE = defineLimit(
  300,
  'API keys',
  'unknown keys from one client address in a minute',
  'rate_limited',
);
const UNKNOWN_MS = 60_000;
/** Maximum number of connections that key lookups use at the same time. @internal */
const MAX_LOOKUPS = 3;
/** Time in which lookups are collected for one statement. */
const COLLECT_MS = 50;
/** @internal */
const MAX_BATCH_SIZE = 2_000;

const FIND_TEXT = `SELECT k.id, k.key_hash AS "keyHash", k.user_id AS "userId", u.email, u.activated, k.expires_at AS "expiresAt",
     k.scopes, k.addresses, k.schema_version AS "schemaVersion",
     array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds"
   FROM api_keys k JOIN users u ON u.id = k.user_id`;
const FIND = prepared<KeyRow>('find-api-key', `${FIND_TEXT} WHERE k.key_hash = $1`);
const FIND_MANY = prepared<KeyRow>('find-api-keys', `${FIND_TEXT} WHERE k.key_hash = ANY($1)`);

/**
 * Cache of the keys in use and their principals. Entries are invalidated by change notifications. An unknown key costs one query;
 * afterwards it is refused from memory, and the number of unknown keys per client address is limited.
 */
@Injectable()
export class ApiKeyDirectory implements OnModuleInit, OnApplicationShutdown {
  private readonly entries = boundedCache<Entry>(MAX_KEYS);
  private readonly unknown = boundedCache<true>(MAX_KEYS, UNKNOWN_MS);
  private readonly misses = boundedCache<number>(MAX_KEYS, UNKNOWN_MS);
  private readonly lookups: KeyLookups;
  /** Concurrent requests with the same key share one lookup. */
  private readonly loading = new Map<string, Promise<Entry>>();
  private readonly uses: LastUses;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
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
   * Returns the principal of a key. It is the same object until something changes, and usually without a promise.
   *
   * @param client that sends the key. A malformed key is refused without a query.
   * @throws AppError `key_invalid`, also if its owner is deactivated; `key_expired`; `key_address_refused`; `rate_limited` for a client
   * that sends many unknown keys.
   */
  find(key: string, client: Client): AccountPrincipal | Promise<AccountPrincipal> {
    const entry = this.entry(key, client);
    return entry instanceof Promise ? entry.then((loaded) => this.admit(loaded, client)) : this.admit(entry, client);
  }

  /**
   * Returns the principal of a key that was sent to another service. The client's address is unknown, so a key with an address restriction
   * is refused.
   *
   * @throws AppError `key_invalid`, `key_expired`, `key_address_refused`
   */
  async bearer(key: string): Promise<BearerOfToken> {
    const entry = await this.entry(key, null);
    return { principal: this.admit(entry, null), expiresAtMs: entry.expiresAtMs };
  }

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

  /** @param client null for a trusted service. */
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
   * Loads a key. An attempt is counted before the lookup, and refunded unless the key is unknown. A known key is never refused because of
   * the budget of its address, which other clients may have used up.
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

  /** Counts an attempt. Returns false if the address has none left. */
  private spend(client: string | null): boolean {
    if (client === null || !this.config.rateLimitEnabled) return true;
    const misses = this.misses.get(client) ?? 0;
    if (misses >= MAX_UNKNOWN_PER_MINUTE) return false;
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

  /** The minute starts with the first miss. */
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
  // Stored addresses were parsed by the same function before.
  const addresses = row.addresses?.map(parseAddressRange).filter((range) => range !== null) ?? null;
  return { id, userId, expiresAtMs, addresses, principal: activated ? principal : null };
}

/** Reads keys from the database with a limited number of connections. */
class KeyLookups {
  private readonly direct = pLimit(MAX_LOOKUPS);
  private collected = new Set<string>();
  private next: Promise<ReadonlyMap<string, KeyRow>> | null = null;

  constructor(private readonly dataSource: DataSource) {}

  async find(keyHash: string): Promise<KeyRow | undefined> {
    const [row] = await this.direct(() => FIND(this.dataSource, [keyHash]));
    return row;
  }

  /**
   * Looks up a key in a batch: one statement after a short delay for all requested hashes. Thus the cost of many unknown keys does not grow
   * with their number.
   *
   * @throws AppError `rate_limited` if too many lookups are waiting.
   */
  async findTogether(keyHash: string): Promise<KeyRow | undefined> {
    if (this.collected.size >= MAX_BATCH_SIZE) throw new AppError('rate_limited', { retryAfterSeconds: 1 });
    this.collected.add(keyHash);
    this.next ??= this.collect();
    return (await this.next).get(keyHash);
  }

  private async collect(): Promise<ReadonlyMap<string, KeyRow>> {
    await delay(COLLECT_MS);
    const hashes = [...this.collected];
    this.collected = new Set();
    this.next = null;
    const rows = await this.direct(() => FIND_MANY(this.dataSource, [hashes]));
    return new Map(rows.map((row) => [row.keyHash, row]));
  }
}
