import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { secretPurposes } from '../../identity/secrets/secret-purposes.service.js';
import { SecretsModule } from '../../identity/secrets/secrets.module.js';
import { ActivationController } from './registration/activation.controller.js';
import { ActivationService } from './registration/activation.service.js';
import { CodeSessions } from './verification/code-sessions.service.js';
import { EmailChangeController } from './email-change/email-change.controller.js';
import {
  EMAIL_CANCEL,
  EMAIL_CHANGE,
  EmailChangeCredentials,
  EmailChangeService,
} from './email-change/email-change.service.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { INVITATION, Invitations } from './invitations/invitations.service.js';
import { LocalLoginController } from './local-login.controller.js';
import { MailProofService } from './verification/mail-proof.service.js';
import { PasswordChangeController } from './password/password-change.controller.js';
import { PasswordChangeService } from './password/password-change.service.js';
import { RecoveryController } from './recovery/recovery.controller.js';
import { RecoveryService } from './recovery/recovery.service.js';
import { RegisterController } from './registration/register.controller.js';
import { CODE_SESSION, MAILED_SECRET, VerificationMailer } from './verification/verification-mailer.service.js';
import './local.errors.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { LOCAL_VARIABLES } from './local.variables.js';

/** Registered in every mode. In federated-only mode the sign-in route returns an error. */
const ALWAYS: Type[] = [LocalLoginController, EmailChangeController];
/** Not registered at all in federated-only mode. */
const SELF_SERVICE: Type[] = [
  RegisterController,
  ActivationController,
  RecoveryController,
  PasswordChangeController,
  InvitationsController,
];

@DeclaresVariables(LOCAL_VARIABLES)
@Module({})
export class LocalModule {
  static forRoot({ auth }: Pick<Config, 'auth'>): DynamicModule {
    return {
      module: LocalModule,
      imports: [AuthModule, RegistrationPolicyModule, SecretsModule],
      controllers: auth.localLoginDisabled ? ALWAYS : [...ALWAYS, ...SELF_SERVICE],
      providers: [
        secretPurposes(...Object.values(MAILED_SECRET), ...Object.values(CODE_SESSION), EMAIL_CHANGE, EMAIL_CANCEL),
        secretPurposes(INVITATION),
        Invitations,
        ActivationService,
        CodeSessions,
        EmailChangeCredentials,
        EmailChangeService,
        MailProofService,
        PasswordChangeService,
        RecoveryService,
        VerificationMailer,
      ],
    };
  }
}
