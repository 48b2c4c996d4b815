import { Body, Controller, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { CurrentUser, CurrentUserService } from '../../identity/auth/current-user.service.js';
import { Origin } from '../../identity/auth/auth.public.js';
import { optionalUsername } from '../../identity/users/users.public.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { Throws } from '../../platform/http/documentation.decorators.js';
import { Field } from '../../platform/http/field.decorator.js';
import { optionalText } from '../../platform/http/http.public.js';
import { ProfileService } from './profile.service.js';

const NAME_MAX = 100;

/** Body of `PATCH /api/auth/me`. What is left out stays; null empties it. */
class ProfileDto {
  @Field(optionalText(NAME_MAX)) first_name?: string | null;
  @Field(optionalText(NAME_MAX)) last_name?: string | null;
  @Field(optionalUsername) username?: string | null;
}

/** What people say of themselves. */
@ApiTags('Account')
@Controller('api/auth')
export class ProfileController {
  constructor(
    private readonly profiles: ProfileService,
    private readonly currentUser: CurrentUserService,
  ) {}

  @Patch('me')
  @Resource('auth.me.update')
  @ApiOperation({
    summary: 'Change your name or username',
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
