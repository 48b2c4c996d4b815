import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { assertDistinct } from '../../../kernel/errors/definition-error.js';
import { type OfferedMethods, SignInMethod } from './sign-in-method.port.js';

/** The sign-in methods of the application: every provider that is one, whichever module has it. */
@Injectable()
export class SignInMethods implements OnModuleInit {
  private methods: readonly SignInMethod[] = [];
  private offered: OfferedMethods = { providers: [], local: false, otp: false };

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for two methods of one name. */
  onModuleInit(): void {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    this.methods = [...instances].filter((instance) => instance instanceof SignInMethod);
    assertDistinct(
      this.methods.flatMap(({ names }) => names),
      'Two sign-in methods are called',
    );
    const offers = this.methods.map((method) => method.offer());
    const providers = offers.flatMap((offer) => offer.providers ?? []);
    const offered = offers.reduce<Partial<OfferedMethods>>((all, offer) => ({ ...all, ...offer }), {});
    const { local = false, otp = false } = offered;
    this.offered = Object.freeze({ ...offered, local, otp, providers });
  }

  /** Returns which methods are offered to everybody. */
  offer(): OfferedMethods {
    return this.offered;
  }

  /** Returns whether a method that opens an account can be used once more as a step-up. */
  async offersStepUp(manager: EntityManager, userId: string): Promise<boolean> {
    for (const method of this.methods)
      if (method.isStepUp && (await method.listFor(manager, userId)).length > 0) return true;
    return false;
  }

  /** Returns the names of the methods that open an account, in the caller's transaction, which has locked it. */
  async listFor(manager: EntityManager, userId: string): Promise<readonly string[]> {
    const names: string[] = [];
    for (const method of this.methods) names.push(...(await method.listFor(manager, userId)));
    return names;
  }
}
