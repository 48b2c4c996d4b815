import { Module } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { endedByRestore } from '../../platform/backup/backup.public.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { storedSecrets } from '../../platform/keys/key-rotation.service.js';
import { SecondFactors1700000000048 } from './1700000000048-second-factors.js';
import { DeclaresResources, RefusesKeys } from '../../identity/auth/access/access.decorators.js';
import { FactorResetController } from './factor-reset.controller.js';
import { FactorReset } from './factor-reset.service.js';
import { FactorAdditions } from './factor-additions.service.js';
import { FactorLedger } from './factor-ledger.service.js';
import { MfaVerifyController } from './mfa-verify.controller.js';
import { OwnFactors } from './own-factors.service.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { RecoveryCodes } from './recovery-codes.service.js';
import { SecondFactorsController } from './second-factors.controller.js';
import './second-factors.errors.js';
import './second-factors.limits.js';
import { TotpFactor } from './totp-factor.entity.js';
import { TOTP_SECRETS, TotpFactors } from './totp-factors.service.js';

/** Second factors: apps that show codes, and codes on paper (CONTRACT §10). */
@DeclaresResources('mfa.reset')
@RefusesKeys('mfa.reset')
@Tables({ entities: [TotpFactor, RecoveryCode], migrations: [SecondFactors1700000000048] })
@Module({
  imports: [AuthModule],
  controllers: [MfaVerifyController, SecondFactorsController, FactorResetController],
  providers: [
    expiringTable('totp_factors'),
    endedByRestore('secrets', 'recovery_codes'),
    storedSecrets(TOTP_SECRETS),
    FactorAdditions,
    FactorLedger,
    FactorReset,
    FreshProof,
    OwnFactors,
    RecoveryCodes,
    TotpFactors,
  ],
})
export class SecondFactorsModule {}
