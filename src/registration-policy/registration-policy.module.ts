import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CONFIG } from '../config/config.module.js';
import type { Config, RegistrationPolicySettings } from '../config/config.types.js';
import { UsersModule } from '../users/users.module.js';
import { PreRegistrationHooks } from './pre-registration-hooks.service.js';
import { RegistrationGate } from './registration-gate.service.js';
import { mergePolicy } from './registration-policy.js';
import { PROGRAMMATIC_POLICY, REGISTRATION_POLICY } from './registration-policy.token.js';
import { RegistrationService } from './registration.service.js';

/** Holds what {@link RegistrationPolicyModule.forRoot} was given, for the one gate of the application. */
@Module({})
class ProgrammaticPolicyModule {}

/** Self-service sign-up and what it must pass. Import it as it is; the application may set its policy once by `forRoot`. */
@Module({
  imports: [UsersModule, DiscoveryModule],
  providers: [
    {
      provide: REGISTRATION_POLICY,
      inject: [CONFIG, { token: PROGRAMMATIC_POLICY, optional: true }],
      useFactory: ({ auth }: Config, programmatic?: Partial<RegistrationPolicySettings>) =>
        mergePolicy(auth.registration, programmatic ?? null),
    },
    PreRegistrationHooks,
    RegistrationGate,
    RegistrationService,
  ],
  exports: [PreRegistrationHooks, RegistrationGate, RegistrationService],
})
export class RegistrationPolicyModule {
  /**
   * Sets the policy in code. Each field that is given wins over the configuration; a domain that is none stops the start.
   */
  static forRoot(policy: Partial<RegistrationPolicySettings>): DynamicModule {
    return {
      module: ProgrammaticPolicyModule,
      global: true,
      imports: [RegistrationPolicyModule],
      providers: [{ provide: PROGRAMMATIC_POLICY, useValue: policy }],
      exports: [PROGRAMMATIC_POLICY, RegistrationPolicyModule],
    };
  }
}
