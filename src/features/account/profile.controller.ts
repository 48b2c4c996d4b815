import { Body, Controller, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { StepUp } from '../../identity/auth/step-up/step-up.decorator.js';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { CurrentUser, CurrentUserService } from '../../identity/auth/current-user.service.js';
import { Origin } from '../../identity/auth/auth.public.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { ProfileDto, ProfileService } from './profile.service.js';

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
    summary: 'Change your profile',
    description: 'Omitted members are unchanged. Null clears a value.',
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
