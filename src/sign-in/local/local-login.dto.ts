import { requiredSecret, requiredText } from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/field.decorator.js';

/** Body of `POST /api/auth/local/login`. */
export class LocalLoginDto {
  /** A username or an e-mail address. */
  @Field(requiredText(320)) login: string;
  @Field(requiredSecret) password: string;
}
