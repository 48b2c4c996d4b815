import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, MoreThan } from 'typeorm';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../kernel/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { isUuid } from '../../../kernel/random.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { type AccountDataRequest, OnAccountExport } from '../../life/account-data.decorators.js';
import { Session } from './session.entity.js';
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
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly last_used_at: string;
  @ApiProperty({ format: 'date-time' }) readonly expires_at: string;
}

/** What a person may do with their own sessions. */
@Injectable()
export class OwnSessionsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly sessions: SessionService,
    private readonly clock: Clock,
  ) {}

  /** The living sessions, the one used last first. */
  async list({ userId, sessionId }: Pick<AccountPrincipal, 'userId' | 'sessionId'>): Promise<ListedSession[]> {
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
      created_at: row.createdAt.toISOString(),
      last_used_at: row.lastUsedAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
    }));
  }

  /** Returns the living sessions, for their owner to take along. */
  @OnAccountExport('sessions')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    return (await this.list({ userId, sessionId: '' })).map(({ current: _current, ...session }) => session);
  }

  /** @throws AppError `session_not_found`, also for the session of somebody else. */
  async end(account: AccountPrincipal, id: string, origin: RequestOrigin): Promise<void> {
    if (!isUuid(id)) throw new AppError('session_not_found');
    if (!(await this.sessions.endNow({ userId: account.userId, id, reason: 'revoked', origin })))
      throw new AppError('session_not_found');
  }

  /** Ends all sessions but the one that asks. */
  async endOthers(account: AccountPrincipal, origin: RequestOrigin): Promise<void> {
    const { userId, sessionId: except } = account;
    await this.changes.transaction((manager, notify) =>
      this.sessions.endAll(manager, notify, { userId, except, reason: 'revoked', origin }),
    );
  }
}
