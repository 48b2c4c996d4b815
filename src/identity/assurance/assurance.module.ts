import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { providePort } from '../../platform/extension/ports.js';
import { endedByRestore } from '../../platform/backup/restored-database.service.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { expiringTable } from '../../platform/jobs/expired-rows.service.js';
import { storedSecrets } from '../../platform/keys/key-rotation.service.js';
import { DeclaresResources, RefusesKeys } from '../auth/access/access.decorators.js';
import { AuthModule } from '../auth/auth.module.js';
import { SecondFactor } from '../auth/sign-in/second-factor.port.js';
import { secretPurposes } from '../secrets/secret-purposes.service.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import './assurance.errors.js';
import './assurance.limits.js';
import { SecondFactors1700000000220 } from './assurance.migration.js';
import { FACTOR_VARIABLES } from './assurance.variables.js';
import { DevicesController } from './devices/devices.controller.js';
import { RememberedDevices } from './devices/remembered-devices.service.js';
import {
  DeviceCredentials,
  PasskeyCredentials,
  RecoveryCodeCredentials,
  TotpCredentials,
} from './factor-credentials.js';
import { FactorLedger } from './factor-ledger.service.js';
import { FactorProofs } from './factor-proofs.service.js';
import { EnrolmentAuthenticator } from './mfa-tokens/enrolment.authenticator.js';
import { ENROLMENT_TOKEN, MFA_TOKEN, MfaTokens } from './mfa-tokens/mfa-tokens.service.js';
import { OwnedFactors } from './owned-factors.service.js';
import { PasskeyCeremonies } from './passkeys/passkey-ceremonies.service.js';
import { PasskeyFactors } from './passkeys/passkey-factors.service.js';
import { PasskeyLogin } from './passkeys/passkey-login.service.js';
import { PasskeyLoginController, PasskeysController } from './passkeys/passkeys.controller.js';
import { PasswordFactor } from './password-factor.service.js';
import { RecoveryCodes } from './recovery-codes/recovery-codes.service.js';
import { ProofsController } from './proofs.controller.js';
import { RequiredFactors } from './required-factors.service.js';
import { FactorResetController } from './resets/factor-reset.controller.js';
import { FactorReset } from './resets/factor-reset.service.js';
import { SecondFactorsController } from './second-factors.controller.js';
import { FreshProof } from './step-up/fresh-proof.service.js';
import { SensitiveRecords } from './step-up/sensitive-records.service.js';
import { TOTP_SECRETS, TotpFactors } from './totp/totp-factors.service.js';

const EXPORTED = [FactorProofs, FactorReset, FreshProof, PasskeyLogin, RememberedDevices];

/**
 * Second factors and fresh proofs. `RequiredFactors` decides which factor a sign-in needs, `FactorProofs` checks it, and
 * `OwnedFactors` contains the factors of an account. The module is global, because every sign-in needs the first of them.
 */
@DeclaresResources('mfa.list', 'mfa.reset')
@DeclaresVariables(FACTOR_VARIABLES)
@Global()
@RefusesKeys('mfa.reset')
@Tables({
  others: ['totp_factors', 'passkeys', 'recovery_codes', 'used_passkey_challenges', 'remembered_devices'],
  migrations: [SecondFactors1700000000220],
  transient: ['used_passkey_challenges'],
})
@Module({
  imports: [AuthModule, DiscoveryModule, SecretsModule],
  controllers: [
    DevicesController,
    ProofsController,
    PasskeyLoginController,
    PasskeysController,
    SecondFactorsController,
    FactorResetController,
  ],
  providers: [
    ...EXPORTED,
    expiringTable('totp_factors'),
    expiringTable('used_passkey_challenges'),
    expiringTable('remembered_devices'),
    endedByRestore('secrets', 'recovery_codes', 'remembered_devices'),
    secretPurposes(MFA_TOKEN, ENROLMENT_TOKEN),
    storedSecrets(TOTP_SECRETS),
    providePort('secondFactor', SecondFactor, RequiredFactors, { due: true }),
    DeviceCredentials,
    EnrolmentAuthenticator,
    FactorLedger,
    MfaTokens,
    OwnedFactors,
    PasskeyCeremonies,
    PasskeyCredentials,
    RecoveryCodeCredentials,
    TotpCredentials,
    PasskeyFactors,
    PasswordFactor,
    RecoveryCodes,
    SensitiveRecords,
    TotpFactors,
  ],
  exports: [...EXPORTED, SecondFactor],
})
export class AssuranceModule {}
