import { Module } from '@nestjs/common';
import { AuthModule, secretPurposes, SecretsModule } from 'lintel';
import { CompanyController } from './company.controller.js';
import { CustomerChanges } from './customer-changes.js';
import { CustomerLifecycle } from './customer-lifecycle.js';
import { CustomersService } from './customers.service.js';
import { INVITATION, InvitationsService } from './invitations.service.js';
import { SignUps } from './sign-ups.js';

@Module({
  imports: [AuthModule, SecretsModule],
  controllers: [CompanyController],
  providers: [
    CustomersService,
    CustomerChanges,
    CustomerLifecycle,
    SignUps,
    InvitationsService,
    secretPurposes(INVITATION),
  ],
  exports: [CustomersService],
})
export class CustomersModule {}
