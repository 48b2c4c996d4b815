import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { isUuid, newId } from '../../../kernel/keys/random.js';
import { accountActor, defineAuditActions, factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { type AccountDataRequest, OnAccountExport } from '../../life/account-data.decorators.js';
import type { ClientContext } from '../access/client-context.js';
import { isSameSiteRequest } from '../access/cross-site.js';
import { giveRememberedToken } from '../access/device-cookie.js';
import { SessionPlace, SessionPlaces } from '../sessions/session-places.service.js';
import { defineLimit } from '../../../kernel/limits.js';

const ACTIONS = defineAuditActions('Second factors', {
  'device.remember': 'A browser was remembered, and is not asked for the second factor again for some days.',
  'device.forget': 'A browser was forgotten by its owner.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** Value of `amr` for a remembered browser, in which the second factor was proven earlier. */
export const REMEMBERED = 'device';

/** A remembered browser as the owner of the account sees it. */
export class ListedDevice {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ description: 'The browser of this request.' }) readonly current: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'How the browser described itself.' })
  readonly device: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Network address of its last sign-in.' })
  readonly address: string | null;
  @ApiProperty({ type: SessionPlace, nullable: true }) readonly place: SessionPlace | null;
  @ApiProperty({ format: 'date-time', description: 'When the second factor was proven there.' })
  readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly last_used_at: string;
  @ApiProperty({ format: 'date-time' }) readonly expires_at: string;
}

interface Remembering {
  readonly userId: string;
  readonly credentialsVersion: number;
}

interface Row {
  readonly id: string;
  readonly tokenHash: string;
  readonly device: string | null;
  readonly address: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

const DAY_MS = 86_400_000;
/** For each account. The least recently used one is deleted. */
const MOST = defineLimit(20, 'Accounts', 'remembered browsers of one account; the oldest is forgotten', null);
/** A password change, the removal of the last factor, and a shorter period make a remembered browser invalid immediately. */
const IS_GOOD = `d.user_id = $1 AND d.expires_at > $2 AND d.created_at > $3 AND EXISTS (
    SELECT 1 FROM users u WHERE u.id = d.user_id AND u.second_factor AND u.credentials_version = d.credentials_version)`;
const USE = `UPDATE remembered_devices d SET last_used_at = $2, address = $5 WHERE ${IS_GOOD} AND d.token_hash = ANY($4) RETURNING d.id`;
const LIST = `SELECT d.id, d.token_hash AS "tokenHash", d.device, d.address, d.created_at AS "createdAt", d.last_used_at AS "lastUsedAt"
  FROM remembered_devices d WHERE ${IS_GOOD} ORDER BY d.last_used_at DESC, d.id DESC`;
const ADD = `INSERT INTO remembered_devices
    (id, user_id, token_hash, credentials_version, device, address, created_at, last_used_at, expires_at)
  SELECT $1, id, $3, $4, $5, $6, $7, $7, $8 FROM users
  WHERE id = $2 AND credentials_version = $4 AND second_factor FOR SHARE RETURNING id`;
const MAKE_PLACE = `DELETE FROM remembered_devices WHERE id IN (
    SELECT id FROM remembered_devices WHERE user_id = $1 ORDER BY last_used_at DESC, id DESC OFFSET ${MOST})`;
const FORGET = 'DELETE FROM remembered_devices WHERE user_id = $1 AND id = $2 RETURNING id';
const FORGET_ALL = 'DELETE FROM remembered_devices WHERE user_id = $1';

/** Browsers that skip the second factor (ADR 0082). They never replace the first proof, or a fresh proof of the factor. */
@Injectable()
export class RememberedDevices {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
    private readonly places: SessionPlaces,
    private readonly clock: Clock,
  ) {}

  /** Returns whether the second factor of this account was proven in the browser. A request without a token needs no query. */
  async recognize(userId: string, { remembered = [], address }: ClientContext): Promise<boolean> {
    if (remembered.length === 0 || this.periodMs === 0) return false;
    const values = [...this.asked(userId), remembered.map(hashOf), address];
    const [used] = await this.dataSource.query<[unknown[], number]>(USE, values);
    return used.length > 0;
  }

  /**
   * Call it before the factor is consumed.
   *
   * @param method of the second factor. A recovery code is rejected, because its user has lost the factor.
   * @throws AppError `validation_failed` if remembering is disabled, or the request is not from one of our own pages.
   */
  assertMayRemember(request: FastifyRequest, method: string): void {
    const message = this.refusalOf(request, method);
    if (message !== null) throw AppError.validation([{ field: 'remember', code: 'value_invalid', message }]);
  }

  async remember(
    request: FastifyRequest,
    reply: FastifyReply,
    { userId, credentialsVersion }: Remembering,
    client: ClientContext,
  ): Promise<void> {
    const [id, token, now] = [newId(), randomBytes(32).toString('base64url'), this.clock.now()];
    const { device, address } = client;
    const until = new Date(now.getTime() + this.periodMs);
    const row = [id, userId, hashOf(token), credentialsVersion, device, address, now, until];
    const isKept = await this.dataSource.transaction(async (manager) => {
      if ((await manager.query<unknown[]>(ADD, row)).length === 0) return false;
      await manager.query(MAKE_PLACE, [userId]);
      await this.note(manager, 'device.remember', { userId, id, client });
      return true;
    });
    if (!isKept) return;
    giveRememberedToken(request, reply, token, this.periodMs / 1_000);
  }

  /** Most recently used first. */
  async list(userId: string, { remembered = [], language = null }: Partial<ClientContext>): Promise<ListedDevice[]> {
    const rows = await this.dataSource.query<Row[]>(LIST, [...this.asked(userId)]);
    const here = new Set(remembered.map(hashOf));
    return rows.map(({ id, tokenHash, device, address, createdAt, lastUsedAt }) => ({
      id,
      current: here.has(tokenHash),
      device,
      address,
      place: this.places.of(address, language),
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
      await this.note(manager, 'device.forget', { userId, id, client });
    });
  }

  async forgetAll(manager: EntityManager, userId: string): Promise<void> {
    await manager.query(FORGET_ALL, [userId]);
  }

  @OnAccountExport('remembered_devices')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    return (await this.list(userId, {})).map(({ current: _current, ...device }) => device);
  }

  private get periodMs(): number {
    return this.config.auth.rememberDays * DAY_MS;
  }

  private asked(userId: string): readonly [string, Date, Date] {
    const now = this.clock.nowMs();
    return [userId, new Date(now), new Date(now - this.periodMs)];
  }

  private refusalOf(request: FastifyRequest, method: string): string | null {
    if (this.periodMs === 0) return 'is not offered here';
    if (method === 'recovery_code') return 'goes with a factor that is not lost';
    return isSameSiteRequest(request, new URL(this.config.appUrl).origin) ? null : 'is for pages of this very origin';
  }

  private async note(
    manager: EntityManager,
    action: keyof typeof ACTIONS,
    { userId, id, client }: { readonly userId: string; readonly id: string; readonly client: ClientContext },
  ): Promise<void> {
    const [actor, resource, at] = [accountActor(userId), `device:${id}`, this.clock.now()];
    await this.audit.write(manager, {
      action,
      actor,
      resource,
      origin: client,
      changes: factsOf({ user: userId }),
      at,
    });
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
