import { Controller, Delete, Get, Param } from '@nestjs/common';
import { CurrentAccount, Resource } from '../access/access.decorators.js';
import { type ListedSession, OwnSessionsService } from './own-sessions.service.js';
import type { AccountPrincipal } from '../access/principal.types.js';

/** The sessions of the signed-in person: where they are signed in, and signing out there. */
@Controller('api/auth/sessions')
export class SessionsController {
  constructor(private readonly sessions: OwnSessionsService) {}

  @Get()
  @Resource('auth.sessions.list')
  async list(@CurrentAccount() account: AccountPrincipal): Promise<{ data: ListedSession[] }> {
    return { data: await this.sessions.list(account) };
  }

  @Delete(':id')
  @Resource('auth.sessions.delete')
  async end(@CurrentAccount() account: AccountPrincipal, @Param('id') id: string): Promise<{ message: string }> {
    await this.sessions.end(account, id);
    return { message: 'The session is over.' };
  }

  @Delete()
  @Resource('auth.sessions.delete')
  async endOthers(@CurrentAccount() account: AccountPrincipal): Promise<{ message: string }> {
    await this.sessions.endOthers(account);
    return { message: 'All other sessions are over.' };
  }
}
