import { Module } from '@nestjs/common';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { ProfileController } from './profile.controller.js';
import { ProfileService } from './profile.service.js';

/** What people do with their own account, however they sign in. */
@Module({
  imports: [AuthModule, RegistrationPolicyModule],
  controllers: [ProfileController],
  providers: [ProfileService],
})
export class AccountModule {}
