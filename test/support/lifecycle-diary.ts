import { Injectable, Module } from '@nestjs/common';
import type {
  BeforeLoginEvent,
  LifecycleEvent,
  LoggedInEvent,
  PasswordChangedEvent,
  SessionEndedEvent,
  UserRegisteredEvent,
} from '../../src/identity/lifecycle/lifecycle-event.types.js';
import {
  OnBeforeLogin,
  OnLoggedIn,
  OnPasswordChanged,
  OnSessionEnded,
  OnUserRegistered,
} from '../../src/identity/lifecycle/lifecycle-hooks.decorators.js';

/** Additional reactions of the hooks, by event name. */
export const reactions = new Map<string, (event: LifecycleEvent) => unknown>();

/** Records every sign-in lifecycle event in the transaction of the event. */
@Injectable()
class Diary {
  @OnUserRegistered()
  registered(event: UserRegisteredEvent): Promise<void> {
    return this.note('registered', event, `${event.method} by ${event.by}`);
  }

  @OnBeforeLogin()
  beforeLogin(event: BeforeLoginEvent): Promise<void> {
    return this.note('before login', event, event.method);
  }

  @OnLoggedIn()
  async loggedIn(event: LoggedInEvent): Promise<void> {
    const rows = await event.manager.query<unknown[]>('SELECT 1 FROM sessions WHERE id = $1', [event.sessionId]);
    return this.note('logged in', event, `${event.method}, ${rows.length} session`);
  }

  @OnSessionEnded()
  async ended(event: SessionEndedEvent): Promise<void> {
    const rows = await event.manager.query<unknown[]>('SELECT 1 FROM sessions WHERE id = $1', [event.sessionId]);
    return this.note('session ended', event, `${event.method} ${event.reason}, ${rows.length} session`);
  }

  @OnPasswordChanged()
  password(event: PasswordChangedEvent): Promise<void> {
    return this.note('password', event, `${event.method}${event.removed ? ' removed' : ''}`);
  }

  private async note(moment: string, event: LifecycleEvent, text: string): Promise<void> {
    await event.manager.query('INSERT INTO diary (account, entry) VALUES ($1, $2)', [
      event.account.id,
      `${moment}: ${text}`,
    ]);
    await reactions.get(moment)?.(event);
  }
}

@Module({ providers: [Diary] })
export class DiaryModule {}
