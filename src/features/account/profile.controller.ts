import { Body, Controller, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { StepUp } from '../../identity/auth/step-up/step-up.decorator.js';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { CurrentUser, CurrentUserService } from '../../identity/auth/current-user.service.js';
import { Origin } from '../../identity/auth/auth.public.js';
import { optionalUsername } from '../../identity/users/users.public.js';
import { LANGUAGE_MAX, parseLanguage } from '../../kernel/text/language.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { Field } from '../../platform/http/input/field.decorator.js';
import { allOf, optionalText } from '../../platform/http/http.public.js';
import { ProfileService } from './profile.service.js';
import { defineLimit } from '../../kernel/limits.js';

const NAME_MAX = defineLimit(100, 'Accounts', 'characters of a first or last name', 'validation_failed');

/** Accepts every well-formed language tag, because an application can have more languages than the server. Optional and nullable. */
const optionalLanguage = allOf(optionalText(LANGUAGE_MAX), (value) => {
  if (value === undefined || value === null || parseLanguage(value as string) !== null) return null;
  return { code: 'language_invalid', message: 'must be a language tag such as en, de or pt-BR' };
});

/** Body of `PATCH /api/auth/me`. What is left out stays; null empties it. */
class ProfileDto {
  @Field(optionalText(NAME_MAX)) first_name?: string | null;
  @Field(optionalText(NAME_MAX)) last_name?: string | null;
  @Field(optionalUsername) username?: string | null;
  @Field(optionalLanguage) language?: string | null;
}

@ApiTags('Account')
@Controller('api/auth')
export class ProfileController {
  constructor(
    private readonly profiles: ProfileService,
    private readonly currentUser: CurrentUserService,
  ) {}

  @Patch('me')
  @Resource('auth.me.update')
  @StepUp({ ofFactor: true, when: ({ body }) => typeof body === 'object' && body !== null && 'username' in body })
  @ApiOperation({
    summary: 'Change your name, username or language',
    description: 'What is left out stays as it is; null empties it.',
  })
  @ApiOkResponse({ type: CurrentUser })
  @Throws('username_taken', 'username_reserved')
  async update(
    @CurrentAccount() account: AccountPrincipal,
    @Body() body: ProfileDto,
    @Origin() origin: RequestOrigin,
  ): Promise<CurrentUser> {
    await this.profiles.update(account.userId, body, origin);
    return this.currentUser.get(account);
  }
}
