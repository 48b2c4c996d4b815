import { requiredText } from '../http/field-check.js';
import { Field } from '../http/field.decorator.js';
import { requiredEmail } from '../users/email-field.js';

/** Body of `POST /api/auth/otp/request`. */
export class OtpRequestDto {
  @Field(requiredEmail) email: string;
}

/** Body of `POST /api/auth/otp/verify`. */
export class OtpVerifyDto {
  @Field(requiredEmail) email: string;
  @Field(requiredText(20)) code: string;
}
