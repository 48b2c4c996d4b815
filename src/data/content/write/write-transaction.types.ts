import type { EntityManager } from 'typeorm';
import type { Notify } from '../../../platform/events/change-notifier.service.js';
import type { ContentContext } from '../content-context.service.js';
import type { PasswordHashes } from './new-passwords.service.js';
import type { WriteJudge } from './write-judge.js';

/** One request that writes: its transaction, its notices, who asks, who judges what is touched, and the passwords that it gives. */
export interface WriteTransaction {
  readonly manager: EntityManager;
  readonly notify: Notify;
  readonly context: ContentContext;
  readonly judge: WriteJudge;
  readonly passwords: PasswordHashes;
}
