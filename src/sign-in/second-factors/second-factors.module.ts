import { Global, Module } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { FactorRevocation } from '../../identity/auth/credentials/factor-revocation.port.js';
import { PasskeySignIn } from '../../identity/auth/sign-in/sign-in-method.port.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { endedByRestore } from '../../platform/backup/backup.public.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { storedSecrets } from '../../platform/keys/key-rotation.service.js';
import { SecondFactors1700000000220 } from './second-factors.migration.js';
import { DeclaresResources, RefusesKeys } from '../../identity/auth/access/access.decorators.js';
import { FactorResetController } from './resets/factor-reset.controller.js';
import { FactorReset } from './resets/factor-reset.service.js';
import { FactorAdditions } from './factor-additions.service.js';
import { PasskeyCredentials, RecoveryCodeCredentials, TotpCredentials } from './factor-credentials.js';
import { FactorLedger } from './factor-ledger.service.js';
import { MfaVerifyController } from './mfa-verify.controller.js';
import { OwnFactors } from './own-factors.service.js';
import { Passkey } from './passkeys/passkey.entity.js';
import { PasskeyAssertions } from './passkeys/passkey-assertions.service.js';
import { PasskeyCeremonies } from './passkeys/passkey-ceremonies.service.js';
import { PasskeyChallenges } from './passkeys/passkey-challenges.service.js';
import { PasskeyFactors } from './passkeys/passkey-factors.service.js';
import { PasskeyLogin } from './passkeys/passkey-login.service.js';
import { PasskeyLoginController } from './passkeys/passkey-login.controller.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { UsedPasskeyChallenge } from './passkeys/used-passkey-challenge.entity.js';
import { PlannedResets } from './resets/planned-resets.service.js';
import { PasswordFactor } from './password-factor.service.js';
import { RecoveryCode } from './recovery-codes/recovery-code.entity.js';
import { RecoveryCodes } from './recovery-codes/recovery-codes.service.js';
import { SecondFactorsController } from './second-factors.controller.js';
import './second-factors.errors.js';
import './second-factors.limits.js';
import { FACTOR_VARIABLES } from './second-factors.variables.js';
import { TotpFactor } from './totp/totp-factor.entity.js';
import { TOTP_SECRETS, TotpFactors } from './totp/totp-factors.service.js';

@DeclaresResources('mfa.list', 'mfa.reset')
@DeclaresVariables(FACTOR_VARIABLES)
@Global()
@RefusesKeys('mfa.reset')
@Tables({
  entities: [TotpFactor, RecoveryCode, Passkey, UsedPasskeyChallenge],
  migrations: [SecondFactors1700000000220],
  transient: ['used_passkey_challenges'],
})
@Module({
  imports: [AuthModule],
  controllers: [
    MfaVerifyController,
    PasskeyLoginController,
    PasskeysController,
    SecondFactorsController,
    FactorResetController,
  ],
  providers: [
    expiringTable('totp_factors'),
    expiringTable('used_passkey_challenges'),
    endedByRestore('secrets', 'recovery_codes'),
    storedSecrets(TOTP_SECRETS),
    FactorAdditions,
    FactorLedger,
    FactorReset,
    { provide: FactorRevocation, useExisting: FactorReset },
    FreshProof,
    OwnFactors,
    PasskeyAssertions,
    PasskeyCeremonies,
    PasskeyChallenges,
    PasskeyCredentials,
    RecoveryCodeCredentials,
    TotpCredentials,
    PasskeyFactors,
    PasskeyLogin,
    { provide: PasskeySignIn, useExisting: PasskeyLogin },
    PasswordFactor,
    PlannedResets,
    RecoveryCodes,
    TotpFactors,
  ],
  exports: [FactorRevocation, PasskeySignIn],
})
export class SecondFactorsModule {}
