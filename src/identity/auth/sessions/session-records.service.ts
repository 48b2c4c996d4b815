import { Injectable } from '@nestjs/common';
import { actorOf } from '../../../platform/audit/audit.public.js';
import type { BeforeWriteEvent } from '../../records/record-event.types.js';
import { BeforeWrite } from '../../records/record-hooks.decorators.js';
import { assertMayTouch } from '../../users/users.public.js';
import { SessionService } from './session.service.js';

const OWNER = 'SELECT user_id AS "userId" FROM sessions WHERE id = $1';

/** Revokes sessions on every instance when their records are deleted. */
@Injectable()
export class SessionRecords {
  constructor(private readonly sessions: SessionService) {}

  /** @throws AppError `permission_denied` for the session of a root account, unless the principal has all permissions too. */
  @BeforeWrite('session', { on: ['delete'], order: 100 })
  async end({ id, manager, notify, principal, root }: BeforeWriteEvent): Promise<void> {
    if (id === null) return;
    const [row] = await manager.query<{ userId: string }[]>(OWNER, [id]);
    if (row === undefined) return;
    await assertMayTouch(manager, root, row.userId);
    await this.sessions.end(manager, notify, { ...row, id, reason: 'revoked', actor: actorOf(principal) });
  }
}
