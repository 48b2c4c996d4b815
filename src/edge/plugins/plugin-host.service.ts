import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PreRegistrationHooks } from '../../identity/registration-policy/pre-registration-hooks.service.js';
import { loadPlugins } from './plugin-loader.js';

/** Injection token of the data directory, under which the folder `plugins` lies. */
export const PLUGIN_DATA_DIR = Symbol('PLUGIN_DATA_DIR');

/** Loads the plugins while the application starts. */
@Injectable()
export class PluginHost implements OnModuleInit {
  private readonly logger = new Logger('Plugins');

  constructor(
    @Inject(PLUGIN_DATA_DIR) private readonly dataDir: string,
    private readonly hooks: PreRegistrationHooks,
  ) {}

  /** @throws PluginError which stops the start. */
  async onModuleInit(): Promise<void> {
    for (const { path, hooks } of await loadPlugins(this.dataDir)) {
      hooks.forEach((run, index) => this.hooks.addFromPlugin({ name: `${path} (${index + 1})`, run }));
      this.logger.log(`Loaded ${path}.`);
    }
  }
}
