import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import type { Config } from '../config/config.types.js';
import { RegistrationPolicyModule } from '../registration-policy/registration-policy.module.js';
import { LocalCredentialsService } from './local-credentials.service.js';
import { LocalLoginController } from './local-login.controller.js';
import { RegisterController } from './register.controller.js';

/** Signing in and up with a password. */
@Module({})
export class LocalModule {
  /** In federated-only mode the self-service routes are not registered at all (specification, "Authentication", 6). */
  static forRoot({ auth }: Pick<Config, 'auth'>): DynamicModule {
    return {
      module: LocalModule,
      imports: [AuthModule, RegistrationPolicyModule],
      controllers: auth.localLoginDisabled ? [LocalLoginController] : [LocalLoginController, RegisterController],
      providers: [LocalCredentialsService],
      exports: [LocalCredentialsService],
    };
  }
}
