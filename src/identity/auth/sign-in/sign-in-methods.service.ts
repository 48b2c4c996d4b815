import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { namedProviders } from '../../../platform/extension/module-settings.js';
import { type OfferedMethods, SignInMethod } from './sign-in-method.port.js';

@Injectable()
export class SignInMethods implements OnModuleInit {
  private methods: readonly SignInMethod[] = [];
  private offered: OfferedMethods = { providers: [], local: false, otp: false };

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for two methods with the same name. */
  onModuleInit(): void {
    const what = 'Two sign-in methods have the name';
    this.methods = namedProviders(this.discovery, SignInMethod, ({ names }) => names, what);
    const offers = this.methods.map((method) => method.offer());
    const providers = offers.flatMap((offer) => offer.providers ?? []);
    const offered = offers.reduce<Partial<OfferedMethods>>((all, offer) => ({ ...all, ...offer }), {});
    const { local = false, otp = false } = offered;
    this.offered = Object.freeze({ ...offered, local, otp, providers });
  }

  offer(): OfferedMethods {
    return this.offered;
  }

  /** Returns whether the account has a sign-in method that can be used as a step-up. */
  async offersStepUp(manager: EntityManager, userId: string): Promise<boolean> {
    for (const method of this.methods)
      if (method.isStepUp && (await method.listFor(manager, userId)).length > 0) return true;
    return false;
  }

  /** Runs in the caller's transaction, which has locked the account. */
  async listFor(manager: EntityManager, userId: string): Promise<readonly string[]> {
    const names: string[] = [];
    for (const method of this.methods) names.push(...(await method.listFor(manager, userId)));
    return names;
  }
}
