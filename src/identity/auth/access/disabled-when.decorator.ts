import { applyDecorators, type CanActivate, Inject, Injectable, mixin, UseGuards } from '@nestjs/common';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/app-error.js';
import type { ErrorCode } from '../../../kernel/error-catalogue.js';

const REFUSALS = 'lintel:refusals';

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
  return applyDecorators(UseGuards(mixin(RefusalGuard)), noted(code));
}

/** Notes the refusal where documentation finds it: at the handler, or at the controller. */
function noted(code: ErrorCode): MethodDecorator & ClassDecorator {
  return (target: object, _name?: string | symbol, method?: PropertyDescriptor) => {
    const place = (method?.value ?? target) as object;
    Reflect.defineMetadata(REFUSALS, [...refusalsOf(place), code], place);
  };
}

/** The codes with which a handler, or a controller, may be closed. */
export function refusalsOf(place: object): readonly ErrorCode[] {
  return (Reflect.getMetadata(REFUSALS, place) as readonly ErrorCode[] | undefined) ?? [];
}

/** In federated-only mode nobody signs in with a password. */
export const isLocalLoginDisabled = ({ auth }: Config): boolean => auth.localLoginDisabled;

/** One-time codes are off, or federated-only mode is on. */
export const isOtpDisabled = ({ auth }: Config): boolean => !auth.otp.enabled || auth.localLoginDisabled;
