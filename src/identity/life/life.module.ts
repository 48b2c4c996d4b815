import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { SignInLife } from './sign-in-life.service.js';

/** The sign-in life: what the application's hooks are told of accounts, sessions and passwords. */
@Module({ imports: [DiscoveryModule], providers: [SignInLife], exports: [SignInLife] })
export class LifeModule {}
