import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { isUuid, newId } from '../../../kernel/keys/random.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { type AccountDataRequest, OnAccountExport } from '../../lifecycle/account-data.decorators.js';
import {
  type BrowserContext,
  type ClientContext,
  isSameSiteRequest,
  MAX_REMEMBERED,
  REMEMBERED_COOKIE,
} from '../../auth/auth.public.js';
import type { ProvenAccount } from '../../auth/sign-in/sign-in-method.port.js';
import { SessionPlace, SessionLocations } from '../../auth/sessions/session-locations.service.js';
import { defineLimit } from '../../../kernel/limits.js';

/** A remembered browser as the owner of the account sees it. */
export class ListedDevice {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ description: 'Whether this is the browser of the request.' }) readonly current: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Description of the browser, from `User-Agent`.' })
  readonly device: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Network address of the last sign-in.' })
  readonly address: string | null;
  @ApiProperty({ type: SessionPlace, nullable: true }) readonly place: SessionPlace | null;
  @ApiProperty({ format: 'date-time', description: 'When the second factor was used in this browser.' })
  readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly last_used_at: string;
  @ApiProperty({ format: 'date-time' }) readonly expires_at: string;
}

interface Row extends Pick<ListedDevice, 'id' | 'device' | 'address'> {
  readonly tokenHash: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

const DAY_MS = 86_400_000;
/** For each account. The least recently used one is deleted. */
const MAX_DEVICES = defineLimit(20, 'Accounts', 'remembered browsers of one account; the oldest is removed', null);
/** A password change, the removal of the last factor, and a shorter period make a remembered browser invalid immediately. */
const IS_VALID = `d.user_id = $1 AND d.expires_at > $2 AND d.created_at > $3 AND EXISTS (
    SELECT 1 FROM users u WHERE u.id = d.user_id AND u.second_factor AND u.credentials_version = d.credentials_version)`;
const USE = `UPDATE remembered_devices d SET last_used_at = $2, address = $5 WHERE ${IS_VALID} AND d.token_hash = ANY($4) RETURNING d.id`;
const LIST = `SELECT d.id, d.token_hash AS "tokenHash", d.device, d.address, d.created_at AS "createdAt", d.last_used_at AS "lastUsedAt"
  FROM remembered_devices d WHERE ${IS_VALID} ORDER BY d.last_used_at DESC, d.id DESC`;
const ADD = `INSERT INTO remembered_devices
    (id, user_id, token_hash, credentials_version, device, address, created_at, last_used_at, expires_at)
  SELECT $1, id, $3, $4, $5, $6, $7, $7, $8 FROM users
  WHERE id = $2 AND credentials_version = $4 AND second_factor FOR SHARE RETURNING id`;
const EVICT_OLDEST = `DELETE FROM remembered_devices WHERE id IN (
    SELECT id FROM remembered_devices WHERE user_id = $1 ORDER BY last_used_at DESC, id DESC OFFSET ${MAX_DEVICES})`;
const FORGET = 'DELETE FROM remembered_devices WHERE user_id = $1 AND id = $2 RETURNING id';

/** Browsers that skip the second factor (ADR 0082). They never replace the first proof, or a fresh proof of the factor. */
@Injectable()
export class RememberedDevices {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
    private readonly locations: SessionLocations,
    private readonly clock: Clock,
  ) {}

  /** Returns whether the second factor of this account was proven in the browser. A request without a token needs no query. */
  async recognize(userId: string, { remembered = [], address }: ClientContext): Promise<boolean> {
    if (remembered.length === 0 || this.periodMs === 0) return false;
    const values = [...this.scopeOf(userId), remembered.map(hashOf), address];
    const [used] = await this.dataSource.query<[unknown[], number]>(USE, values);
    return used.length > 0;
  }

  /** Call it before the factor is consumed. @throws AppError `validation_failed` if the browser cannot be remembered. */
  assertMayRemember(request: FastifyRequest, method: string): void {
    const message = this.refusalOf(request, method);
    if (message !== null) throw AppError.validation([{ field: 'remember', code: 'value_invalid', message }]);
  }

  async remember(
    browser: BrowserContext,
    { userId, credentialsVersion }: ProvenAccount,
    client: ClientContext,
  ): Promise<void> {
    const [id, token, now] = [newId(), randomBytes(32).toString('base64url'), this.clock.now()];
    const { device, address } = client;
    const until = new Date(now.getTime() + this.periodMs);
    const row = [id, userId, hashOf(token), credentialsVersion, device, address, now, until];
    const isStored = await this.dataSource.transaction(async (manager) => {
      if ((await manager.query<unknown[]>(ADD, row)).length === 0) return false;
      await manager.query(EVICT_OLDEST, [userId]);
      await this.audit.writeFor(manager, userId, 'device.remember', eventOf(id, userId, client));
      return true;
    });
    if (!isStored) return;
    const { cookieScope } = browser.request.server;
    const tokens = [token, ...(client.remembered ?? [])].slice(0, MAX_REMEMBERED);
    cookieScope.set(browser.reply, cookieScope.nameOf(REMEMBERED_COOKIE), tokens.join('.'), this.periodMs / 1_000);
  }

  /** Most recently used first. */
  async list(userId: string, { remembered = [], language = null }: Partial<ClientContext>): Promise<ListedDevice[]> {
    const rows = await this.dataSource.query<Row[]>(LIST, [...this.scopeOf(userId)]);
    const here = new Set(remembered.map(hashOf));
    return rows.map(({ id, tokenHash, device, address, createdAt, lastUsedAt }) => ({
      id,
      current: here.has(tokenHash),
      device,
      address,
      place: this.locations.of(address, language),
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt.toISOString(),
      expires_at: new Date(createdAt.getTime() + this.periodMs).toISOString(),
    }));
  }

  /** @throws AppError `device_not_found`, also for a browser of another account. */
  async forget(userId: string, id: string, client: ClientContext): Promise<void> {
    if (!isUuid(id)) throw new AppError('device_not_found');
    await this.dataSource.transaction(async (manager) => {
      const [gone] = await manager.query<[unknown[], number]>(FORGET, [userId, id]);
      if (gone.length === 0) throw new AppError('device_not_found');
      await this.audit.writeFor(manager, userId, 'device.forget', eventOf(id, userId, client));
    });
  }

  @OnAccountExport('remembered_devices')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    return (await this.list(userId, {})).map(({ current: _current, ...device }) => device);
  }

  private get periodMs(): number {
    return this.config.auth.rememberDays * DAY_MS;
  }

  private scopeOf(userId: string): readonly [string, Date, Date] {
    const now = this.clock.nowMs();
    return [userId, new Date(now), new Date(now - this.periodMs)];
  }

  private refusalOf(request: FastifyRequest, method: string): string | null {
    if (this.periodMs === 0) return 'is not available';
    if (method === 'recovery_code') return 'cannot be combined with a recovery code';
    return isSameSiteRequest(request, this.config.appUrl) ? null : 'is allowed for pages of the same origin only';
  }
}

function eventOf(id: string, user: string, origin: ClientContext) {
  return { resource: `device:${id}`, origin, facts: { user } };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
