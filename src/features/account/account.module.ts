import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ContentModule } from '../../data/content/content.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { AccountDeletion } from './account-deletion.service.js';
import { AccountExport } from './account-export.service.js';
import './account.limits.js';
import { LeavingController } from './leaving.controller.js';
import { ProfileController } from './profile.controller.js';
import { ProfileService } from './profile.service.js';
import { StepUpController } from './step-up.controller.js';

@Module({
  imports: [AuthModule, ContentModule, DiscoveryModule, RegistrationPolicyModule],
  controllers: [ProfileController, LeavingController, StepUpController],
  providers: [AccountDeletion, AccountExport, FreshProof, ProfileService],
})
export class AccountModule {}
