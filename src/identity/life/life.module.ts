import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { SignInLife } from './sign-in-life.service.js';

@Module({ imports: [DiscoveryModule], providers: [SignInLife], exports: [SignInLife] })
export class LifeModule {}
