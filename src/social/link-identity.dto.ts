import { requiredText } from '../http/field-check.js';
import { Field } from '../http/field.decorator.js';

/** Body of `POST /api/auth/identities`. */
export class LinkIdentityDto {
  /** Name of the provider. */
  @Field(requiredText(40)) provider: string;
}
