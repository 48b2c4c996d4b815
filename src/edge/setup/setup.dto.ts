import { requiredSecret, requiredText } from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/field.decorator.js';
import { newPassword, optionalUsername, requiredEmail } from '../../identity/users/users.public.js';

/** Body of `POST /api/setup`. */
export class SetupDto {
  /** As the service printed it. */
  @Field(requiredText(200)) token: string;
  @Field(requiredEmail) email: string;
  @Field(optionalUsername) username?: string | null;
  @Field(newPassword) password: string;
  @Field(requiredSecret) password_confirmation: string;
}
