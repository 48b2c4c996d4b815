import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';

const STEP_UP = 'lintel:step-up';

/** When a route asks for a proof that is fresh. */
export interface StepUpRule {
  /** Seconds for which a proof is fresh; 600 unless said. */
  readonly maxAge?: number;
  /** Asks only those who have a second factor. */
  readonly ofFactor?: true;
  /** Asks only if this holds of the request. */
  readonly when?: (request: FastifyRequest) => boolean;
}

/**
 * Has a route ask for a proof that is fresh: a sign-in, or a step-up, of the last ten minutes; of an account that has a second
 * factor, with that. Who has none is answered 401 `step_up_required` and proves it by `POST /api/auth/mfa/step-up`; the same
 * token is good then. API keys are asked for nothing.
 */
export function StepUp(rule: StepUpRule = {}): MethodDecorator {
  return applyDecorators(SetMetadata(STEP_UP, rule), Throws('step_up_required'));
}

/** Returns the rule of a route, if it has one. */
export function stepUpOf(handler: object): StepUpRule | undefined {
  return Reflect.getMetadata(STEP_UP, handler) as StepUpRule | undefined;
}
