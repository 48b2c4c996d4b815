import { type FieldCheck, requiredSecret, requiredText } from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/field.decorator.js';

const optionalSecret: FieldCheck = (value) => (value === undefined || value === null ? null : requiredSecret(value));

/** Body of `POST /api/auth/identities`. */
export class LinkIdentityDto {
  /** Name of the provider. */
  @Field(requiredText(40)) provider: string;
  /** Needed if the account has a password to sign in with. */
  @Field(optionalSecret) current_password?: string | null;
}
