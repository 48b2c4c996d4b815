import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { RecordHooks } from '../../data/content/write/record-hooks.service.js';
import { PreRegistrationHooks } from '../../identity/registration-policy/pre-registration-hooks.service.js';
import { loadPlugins } from './plugin-loader.js';

/** Injection token of the data directory, which contains the folder `plugins`. */
export const PLUGIN_DATA_DIR = Symbol('PLUGIN_DATA_DIR');

@Injectable()
export class PluginHost implements OnModuleInit {
  private readonly logger = new Logger('Plugins');

  constructor(
    @Inject(PLUGIN_DATA_DIR) private readonly dataDir: string,
    private readonly hooks: PreRegistrationHooks,
    private readonly recordHooks: RecordHooks,
  ) {}

  /** @throws PluginError. It aborts the start. */
  async onModuleInit(): Promise<void> {
    for (const { path, hooks, recordHooks } of await loadPlugins(this.dataDir)) {
      hooks.forEach((run, index) => this.hooks.addFromPlugin({ name: `${path} (${index + 1})`, run }));
      recordHooks.forEach((hook, index) => this.recordHooks.addFromPlugin({ ...hook, name: `${path} (${index + 1})` }));
      this.logger.log(`Loaded ${path}.`);
    }
  }
}
