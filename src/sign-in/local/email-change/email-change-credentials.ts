import { Injectable } from '@nestjs/common';
import { CredentialKind } from '../../../identity/auth/credentials/credential-kind.port.js';
import { EMAIL_CHANGE } from './email-change.service.js';

/** Pending e-mail changes count as credentials, because the new address could receive a recovery mail. */
@Injectable()
export class EmailChangeCredentials extends CredentialKind {
  readonly name = 'email_changes';
  protected readonly table = 'one_time_secrets';
  protected override readonly label = `data->>'newEmail'`;
  protected override readonly condition = `purpose = '${EMAIL_CHANGE.name}'`;
  protected override readonly isListed = 'expires_at > now()';

  protected async revoked(): Promise<void> {
    // No audit event: the request is already logged, and an unconfirmed change had no effect.
  }
}
