import { requiredSecret, requiredText } from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/field.decorator.js';
import { requiredEmail } from '../../identity/users/users.public.js';

/** Body of `POST /api/auth/cli/login/local`, JSON or form. */
export class CliLocalDto {
  @Field(requiredSecret) carrier: string;
  /** A username or an e-mail address. */
  @Field(requiredText(320)) login: string;
  @Field(requiredSecret) password: string;
}

/** Body of `POST /api/auth/cli/login/otp`, JSON or form. */
export class CliOtpDto {
  @Field(requiredSecret) carrier: string;
  @Field(requiredEmail) email: string;
  /** The code that was mailed. */
  @Field(requiredText(20)) code: string;
}
