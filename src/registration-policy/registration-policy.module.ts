import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { RegistrationService } from './registration.service.js';

/** Self-service sign-up and what it must pass. */
@Module({ imports: [UsersModule], providers: [RegistrationService], exports: [RegistrationService] })
export class RegistrationPolicyModule {}
