import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { PRE_REGISTRATION_HOOKS } from './on-pre-user-register.decorator.js';
import type { PreUserRegisterHook } from './registration-input.types.js';
import type { NamedHook } from './run-hook.js';

/** The pre-registration hooks in order: those of modules, then those of plugins. */
@Injectable()
export class PreRegistrationHooks implements OnModuleInit {
  private moduleHooks: readonly NamedHook[] = [];
  private readonly pluginHooks: NamedHook[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for a hook that could never run. */
  onModuleInit(): void {
    this.moduleHooks = PRE_REGISTRATION_HOOKS.collect(this.discovery).map(({ name, run }) => {
      return { name, run: run as PreUserRegisterHook };
    });
  }

  list(): readonly NamedHook[] {
    return [...this.moduleHooks, ...this.pluginHooks];
  }

  addFromPlugin(hook: NamedHook): void {
    this.pluginHooks.push(hook);
  }
}
