import { applyDecorators, SetMetadata } from '@nestjs/common';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';

const TAKES_ENROLMENT = 'lintel:takes-enrolment';

/** Lets a route under `mfa/totp` or `mfa/passkeys` accept the `mfa_token` of an enrolment in place of a session. */
export function TakesEnrolment(): MethodDecorator {
  return applyDecorators(
    SetMetadata(TAKES_ENROLMENT, true),
    Throws('mfa_token_invalid', 'mfa_not_offered', 'address_unproven'),
  );
}

export function takesEnrolment(handler: object): boolean {
  return Reflect.getMetadata(TAKES_ENROLMENT, handler) === true;
}
