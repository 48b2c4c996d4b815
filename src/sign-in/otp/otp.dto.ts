import { requiredText } from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/field.decorator.js';
import { requiredEmail } from '../../identity/users/users.public.js';

/** Body of `POST /api/auth/otp/request`. */
export class OtpRequestDto {
  @Field(requiredEmail) email: string;
}

/** Body of `POST /api/auth/otp/verify`. */
export class OtpVerifyDto {
  @Field(requiredEmail) email: string;
  @Field(requiredText(20)) code: string;
}
