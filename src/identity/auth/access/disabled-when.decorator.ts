import { applyDecorators, type CanActivate, Inject, Injectable, mixin, UseGuards } from '@nestjs/common';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';

/** Closes routes by configuration: they respond with `code`, whatever the body is. */
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

export const isLocalLoginDisabled = ({ auth }: Config): boolean => auth.localLoginDisabled;

/** One-time codes are also off in federated-only mode. */
export const isOtpDisabled = ({ auth }: Config): boolean => !auth.otp.enabled || auth.localLoginDisabled;
