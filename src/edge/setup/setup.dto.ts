import { requiredSecret, requiredText } from '../../platform/http/field-check.js';
import { Field } from '../../platform/http/field.decorator.js';
import { requiredEmail } from '../../identity/users/email-field.js';
import { newPassword } from '../../identity/users/password-rules.js';
import { optionalUsername } from '../../identity/users/username.js';

/** Body of `POST /api/setup`. */
export class SetupDto {
  /** As the service printed it. */
  @Field(requiredText(200)) token: string;
  @Field(requiredEmail) email: string;
  @Field(optionalUsername) username?: string | null;
  @Field(newPassword) password: string;
  @Field(requiredSecret) password_confirmation: string;
}
