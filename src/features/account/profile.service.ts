import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RegistrationGate } from '../../identity/registration-policy/registration-gate.service.js';
import { User } from '../../identity/users/user.entity.js';
import { duplicateError, UsersService } from '../../identity/users/users.service.js';
import { optionalUsername, usernameKey } from '../../identity/users/users.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { LANGUAGE_MAX, parseLanguage } from '../../kernel/text/language.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';
import { accountActor, changedFields } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { Clock } from '../../kernel/clock.port.js';
import { defineLimit } from '../../kernel/limits.js';
import { allOf, Field, optionalText } from '../../platform/http/input/field.decorator.js';

const NAME_MAX = defineLimit(100, 'Accounts', 'characters of a first or last name');

/** Accepts every well-formed language tag, because an application can have more languages than the server. Optional and nullable. */
const optionalLanguage = allOf(optionalText(LANGUAGE_MAX), (value) => {
  if (value === undefined || value === null || parseLanguage(value as string) !== null) return null;
  return { code: 'language_invalid', message: 'must be a language tag such as en, de or pt-BR' };
});

/** Body of `PATCH /api/auth/me`. Omitted members are unchanged. Null clears a value. */
export class ProfileDto {
  @Field(optionalText(NAME_MAX)) first_name?: string | null;
  @Field(optionalText(NAME_MAX)) last_name?: string | null;
  @Field(optionalUsername) username?: string | null;
  @Field(optionalLanguage) language?: string | null;
}

@Injectable()
export class ProfileService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly gate: RegistrationGate,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `username_reserved`; `username_taken`, also in a race; `token_invalid` if the account does not exist any more. */
  async update(userId: string, profile: ProfileDto, origin?: RequestOrigin): Promise<void> {
    const changes = columnsOf(profile);
    if (Object.keys(changes).length === 0) return;
    if (changes.username !== undefined && changes.username !== null) await this.assertAllowed(userId, changes.username);
    try {
      await this.dataSource.transaction(async (manager) => {
        const updated = { ...changes, updatedAt: this.clock.now() };
        const { affected } = await manager.update(User, { id: userId, activated: true }, updated);
        if (affected !== 1) throw new AppError('token_invalid');
        const event = { action: 'account.update', actor: accountActor(userId), resource: `user:${userId}` } as const;
        await this.audit.write(manager, { ...event, origin, changes: changedFields(Object.keys(profile)) });
      });
    } catch (error) {
      throw duplicateError(error) ?? error;
    }
  }

  /** The current name of the account is always allowed, even if it was reserved later. */
  private async assertAllowed(userId: string, username: string): Promise<void> {
    const user = await this.users.findById(userId);
    if (user?.usernameKey !== usernameKey(username)) this.gate.assertUsernameAllowed(username);
  }
}

function columnsOf(
  profile: ProfileDto,
): Partial<Pick<User, 'firstName' | 'lastName' | 'username' | 'usernameKey' | 'language'>> {
  const { first_name: firstName, last_name: lastName, username, language } = profile;
  return {
    ...(firstName !== undefined && { firstName: emptyToNull(firstName) }),
    ...(lastName !== undefined && { lastName: emptyToNull(lastName) }),
    ...(language !== undefined && { language: language === null ? null : parseLanguage(language) }),
    ...(username !== undefined && { username, usernameKey: username === null ? null : usernameKey(username) }),
  };
}

function emptyToNull(text: string | null): string | null {
  return text === '' ? null : text;
}
