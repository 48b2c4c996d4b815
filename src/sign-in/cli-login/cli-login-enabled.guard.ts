import { type CanActivate, Injectable } from '@nestjs/common';
import { CliLoginSettings } from '../../identity/auth/carrier/cli-login-settings.port.js';
import { AppError } from '../../kernel/errors/app-error.js';

/** Runs before the body is validated: with native-app login disabled, the routes always return 403 (specification, "Authentication", 8). */
@Injectable()
export class CliLoginEnabledGuard implements CanActivate {
  constructor(private readonly settings: CliLoginSettings) {}

  canActivate(): boolean {
    if (!this.settings.enabled) throw new AppError('cli_login_disabled');
    return true;
  }
}
