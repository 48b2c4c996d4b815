import { type CanActivate, Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { AppError } from '../kernel/app-error.js';

/** In federated-only mode neither password nor mailed code signs in to an app (specification, "Authentication", 6). */
@Injectable()
export class LocalLoginEnabledGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  canActivate(): boolean {
    if (this.config.auth.localLoginDisabled) throw new AppError('local_login_disabled');
    return true;
  }
}
