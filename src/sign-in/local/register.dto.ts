import { optionalText, requiredSecret } from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/field.decorator.js';
import { newPassword, optionalUsername, requiredEmail } from '../../identity/users/users.public.js';

/** Body of `POST /api/auth/local/register` (specification, "Registration input"). */
export class RegisterDto {
  @Field(requiredEmail) email: string;
  @Field(newPassword) password: string;
  @Field(requiredSecret) password_confirmation: string;
  @Field(optionalUsername) username?: string | null;
  @Field(optionalText(100)) first_name?: string | null;
  @Field(optionalText(100)) last_name?: string | null;
}
