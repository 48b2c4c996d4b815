import { Global, Module } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { OtpLogin } from '../../identity/auth/sign-in/sign-in-method.port.js';
import { secretPurposes } from '../../identity/secrets/secret-purposes.service.js';
import { SecretsModule } from '../../identity/secrets/secrets.module.js';
import { OtpController } from './otp.controller.js';
import { OTP_CODE, OtpService } from './otp.service.js';
import './otp.errors.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { OTP_VARIABLES } from './otp.variables.js';

/**
 * Sign-in with a mailed code. If it is disabled, the routes exist and return an error. The module is global, so that native-app login gets
 * the port without an import of this module.
 */
@DeclaresVariables(OTP_VARIABLES)
@Global()
@Module({
  imports: [AuthModule, SecretsModule],
  controllers: [OtpController],
  providers: [secretPurposes(OTP_CODE), OtpService, { provide: OtpLogin, useExisting: OtpService }],
  exports: [OtpLogin],
})
export class OtpModule {}
