import { applyDecorators, type CanActivate, Inject, Injectable, mixin, UseGuards } from '@nestjs/common';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';

/** Closes routes while the configuration says so: the answer is `code`, whatever the body is. */
export function DisabledWhen(code: ErrorCode, when: (config: Config) => boolean): MethodDecorator & ClassDecorator {
  @Injectable()
  class RefusalGuard implements CanActivate {
    constructor(@Inject(CONFIG) private readonly config: Config) {}

    canActivate(): true {
      if (when(this.config)) throw new AppError(code);
      return true;
    }
  }
  return applyDecorators(UseGuards(mixin(RefusalGuard)), Throws(code));
}

/** Returns whether nobody signs in with a password: federated-only mode. */
export const isLocalLoginDisabled = ({ auth }: Config): boolean => auth.localLoginDisabled;

/** Returns whether one-time codes are off, or federated-only mode is on. */
export const isOtpDisabled = ({ auth }: Config): boolean => !auth.otp.enabled || auth.localLoginDisabled;
