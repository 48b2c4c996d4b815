import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, MoreThan } from 'typeorm';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { clientBlock } from '../../../platform/http/http.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { isUuid } from '../../../kernel/keys/random.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { type AccountDataRequest, OnAccountExport } from '../../life/account-data.decorators.js';
import type { ClientContext } from '../access/client-context.js';
import { Session } from './session.entity.js';
import { SessionPlace, SessionPlaces } from './session-places.service.js';
import { SessionService } from './session.service.js';

/** A session as its owner sees it. */
@ApiSchema({ name: 'Session' })
export class ListedSession {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ description: 'The session of this request.' }) readonly current: boolean;
  @ApiProperty() readonly provider: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What signed in, usually the description that a browser gives.',
  })
  readonly device: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Network address.' }) readonly address: string | null;
  @ApiProperty({
    type: SessionPlace,
    nullable: true,
    description: 'Where the address is used, if the service has a database of addresses that knows it.',
  })
  readonly place: SessionPlace | null;
  @ApiProperty({ description: 'Whether its address is the one of this request, or of the same /64 of IPv6.' })
  readonly same_network: boolean;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly last_used_at: string;
  @ApiProperty({ format: 'date-time' }) readonly expires_at: string;
}

@Injectable()
export class OwnSessionsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly sessions: SessionService,
    private readonly clock: Clock,
    private readonly places: SessionPlaces,
  ) {}

  /** Returns the active sessions, most recently used first. `address` and `language` are those of the request. */
  async list(
    { userId, sessionId }: Pick<AccountPrincipal, 'userId' | 'sessionId'>,
    { address, language = null }: Pick<ClientContext, 'address' | 'language'>,
  ): Promise<ListedSession[]> {
    const here = clientBlock(address);
    const where = { userId, expiresAt: MoreThan(this.clock.now()) };
    const rows = await this.dataSource
      .getRepository(Session)
      .find({ where, order: { lastUsedAt: 'DESC', id: 'DESC' } });
    return rows.map((row) => ({
      id: row.id,
      current: row.id === sessionId,
      provider: row.provider,
      device: row.device,
      address: row.address,
      place: this.places.of(row.address, language),
      same_network: row.address !== null && isIP(address) !== 0 && clientBlock(row.address) === here,
      created_at: row.createdAt.toISOString(),
      last_used_at: row.lastUsedAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
    }));
  }

  @OnAccountExport('sessions')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    const all = await this.list({ userId, sessionId: '' }, { address: '' });
    return all.map(({ current: _current, same_network: _same, ...session }) => session);
  }

  /** @throws AppError `session_not_found`, also for a session of another account. */
  async end(account: AccountPrincipal, id: string, origin: RequestOrigin): Promise<void> {
    if (!isUuid(id)) throw new AppError('session_not_found');
    if (!(await this.sessions.endNow({ userId: account.userId, id, reason: 'revoked', origin })))
      throw new AppError('session_not_found');
  }

  async endOthers(account: AccountPrincipal, origin: RequestOrigin): Promise<void> {
    const { userId, sessionId: except } = account;
    await this.changes.transaction((manager, notify) =>
      this.sessions.endAll(manager, notify, { userId, except, reason: 'revoked', origin }),
    );
  }
}
