import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import type { RegistrationPolicySettings } from '../auth/auth-config.types.js';
import { collectSettings, mergeSettings } from '../../platform/extension/module-settings.js';
import { UsersModule } from '../users/users.module.js';
import { PreRegistrationHooks } from './pre-registration-hooks.service.js';
import { RegistrationGate } from './registration-gate.service.js';
import { mergePolicy, REGISTRATION_POLICY } from './registration-policy.js';
import './registration-policy.errors.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { REGISTRATION_VARIABLES } from './registration-policy.variables.js';

const SETTINGS = Symbol('RegistrationPolicyModule.forRoot');

/** Provides the settings of {@link RegistrationPolicyModule.forRoot}. `REGISTRATION_POLICY` collects them from all modules. */
@Module({})
class ProgrammaticPolicyModule {}

/** Self-service sign-up and its policy. Any module of the application may extend the policy with `forRoot`. */
@DeclaresVariables(REGISTRATION_VARIABLES)
@Module({
  imports: [UsersModule, DiscoveryModule],
  providers: [
    {
      provide: REGISTRATION_POLICY,
      inject: [CONFIG, ModulesContainer],
      useFactory: ({ auth }: Config, modules: ModulesContainer) =>
        mergePolicy(auth.registration, programmaticPolicy(modules)),
    },
    PreRegistrationHooks,
    RegistrationGate,
  ],
  exports: [PreRegistrationHooks, RegistrationGate],
})
export class RegistrationPolicyModule {
  /**
   * Sets the policy in code. Each field that is set overrides the configuration. The application does not start if a domain is invalid. If
   * several modules call it, their blocked domains and reserved usernames are merged. Different values of another field are an error.
   */
  static forRoot(policy: Partial<RegistrationPolicySettings>): DynamicModule {
    return {
      module: ProgrammaticPolicyModule,
      imports: [RegistrationPolicyModule],
      providers: [{ provide: SETTINGS, useValue: policy }],
      exports: [RegistrationPolicyModule],
    };
  }
}

function programmaticPolicy(modules: ModulesContainer): Partial<RegistrationPolicySettings> | null {
  const settings = collectSettings<Partial<RegistrationPolicySettings>>(modules, SETTINGS);
  if (settings.length === 0) return null;
  return mergeSettings<RegistrationPolicySettings>('RegistrationPolicyModule.forRoot', settings, {
    allowedKeys: ['allowedEmailDomains', 'blockedEmailDomains', 'reservedUsernames', 'normalizeEmail'],
    lists: ['blockedEmailDomains', 'reservedUsernames'],
  });
}
