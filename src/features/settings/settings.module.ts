import { Module } from '@nestjs/common';
import { DeclaresResources } from '../../identity/auth/access/access.decorators.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { SettingsController } from './settings.controller.js';

@DeclaresResources('settings.get')
@Module({ imports: [AuthModule], controllers: [SettingsController] })
export class SettingsModule {}
