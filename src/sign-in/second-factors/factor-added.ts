import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { IssuedMfaToken } from '../../identity/auth/sign-in/mfa-tokens.service.js';
import type { TokenSet } from '../../identity/auth/sign-in/sign-in.service.js';
import type { AfterAddition } from './factor-additions.service.js';

/** Response after a factor was added. */
export class FactorAdded {
  @ApiProperty({
    oneOf: [{ type: 'boolean', const: true }, { $ref: getSchemaPath(IssuedMfaToken) }],
    description: '`true` for who is signed in; for a sign-in to an app what `cli/login/mfa` takes.',
  } as never)
  readonly data: true | IssuedMfaToken;
}

export function answerOf(after: AfterAddition): FactorAdded | TokenSet {
  return after !== null && 'token' in after ? after : { data: after ?? true };
}
