import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';

const STEP_UP = 'lintel:step-up';

/** When a route requires a fresh proof. */
export interface StepUpRule {
  /** Seconds for which a proof is fresh; default 600. */
  readonly maxAge?: number;
  /** Require it only of accounts with a second factor. */
  readonly ofFactor?: true;
  /** Require it only for requests for which this returns true. */
  readonly when?: (request: FastifyRequest) => boolean;
}

/**
 * Makes a route require a fresh proof: a sign-in or a step-up of the last ten minutes, with the second factor if the account has one.
 *
 * Otherwise the server returns 401 `step_up_required`. The client then proves it by `POST /api/auth/mfa/step-up`, and the same token is
 * accepted. API keys need no proof.
 */
export function StepUp(rule: StepUpRule = {}): MethodDecorator {
  return applyDecorators(SetMetadata(STEP_UP, rule), Throws('step_up_required'));
}

export function stepUpOf(handler: object): StepUpRule | undefined {
  return Reflect.getMetadata(STEP_UP, handler) as StepUpRule | undefined;
}
