import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ContentModule } from '../../data/content/content.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { AccountDeletion } from './account-deletion.service.js';
import { AccountExport } from './account-export.service.js';
import { AccountDeletionController } from './account-deletion.controller.js';
import { ProfileController } from './profile.controller.js';
import { ProfileService } from './profile.service.js';
import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

const LIMITS = defineRateLimits('Own account', {
  accountExport: { points: 30, durationSeconds: 3_600, meaning: 'exports of account data from one client address' },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
}

@Module({
  imports: [AuthModule, ContentModule, DiscoveryModule, RegistrationPolicyModule],
  controllers: [ProfileController, AccountDeletionController],
  providers: [AccountDeletion, AccountExport, ProfileService],
})
export class AccountModule {}
