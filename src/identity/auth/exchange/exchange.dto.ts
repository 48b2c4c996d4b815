import { type FieldCheck, requiredSecret } from '../../../platform/http/http.public.js';
import { Field } from '../../../platform/http/field.decorator.js';

/** Whether the verifier is right is for the exchange to say; here it only has to be text. */
const optionalVerifier: FieldCheck = (value) =>
  value === undefined || typeof value === 'string' ? null : { code: 'type_invalid', message: 'must be text' };

/** Body of `POST /api/auth/exchange`. */
export class ExchangeDto {
  @Field(requiredSecret) code: string;
  /** If the sign-in was begun with a `code_challenge`, as every native app's is. */
  @Field(optionalVerifier) code_verifier?: string;
}
