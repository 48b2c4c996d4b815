import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { Field, requiredText } from '../../../platform/http/input/field.decorator.js';
import { MAILED_TOKEN_ERRORS } from '../../secrets/one-time-secrets.errors.js';
import { PublicAction } from '../access/access.decorators.js';
import { Origin } from '../access/client-context.js';
import { RecordsRefusals } from '../sign-in/records-refusals.decorator.js';
import { AccountCredentials } from './account-credentials.service.js';

/** Body of `POST /api/auth/credentials/revoke`. */
class RevokeCredentialDto {
  /** The token of the link in the notification mail. */
  @Field(requiredText(200)) token: string;
}

@ApiTags('Account')
@Controller('api/auth/credentials')
export class CredentialsController {
  constructor(private readonly credentials: AccountCredentials) {}

  @Post('revoke')
  @PublicAction('general')
  @ApiOperation({
    summary: 'Revoke a new credential',
    description:
      'Takes the token of the link in the mail about a new authenticator app, passkey, API key or linked provider, and revokes every session. It works once, for 7 days.',
  })
  @AnswersData({ const: true })
  @Throws(...MAILED_TOKEN_ERRORS)
  @RecordsRefusals('credential_revoke')
  async revoke(@Body() { token }: RevokeCredentialDto, @Origin() origin: RequestOrigin): Promise<{ data: true }> {
    await this.credentials.revokeByLink(token, origin);
    return { data: true };
  }
}
