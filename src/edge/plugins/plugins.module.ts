import { Inject, Injectable, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { RegistrationPolicyModule } from '../../identity/registration-policy/registration-policy.module.js';
import { RecordHooks } from '../../data/content/write/hooks/record-hooks.service.js';
import { PreRegistrationHooks } from '../../identity/registration-policy/pre-registration-hooks.service.js';
import { loadPlugins } from './plugin-loader.js';

@Injectable()
class PluginHost implements OnModuleInit {
  private readonly logger = new Logger('Plugins');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly hooks: PreRegistrationHooks,
    private readonly recordHooks: RecordHooks,
  ) {}

  /** @throws PluginError. It aborts the start. */
  async onModuleInit(): Promise<void> {
    for (const { path, hooks, recordHooks } of await loadPlugins(this.config.dataDir)) {
      hooks.forEach((run, index) => this.hooks.addFromPlugin({ name: `${path} (${index + 1})`, run }));
      recordHooks.forEach((hook, index) => this.recordHooks.addFromPlugin({ ...hook, name: `${path} (${index + 1})` }));
      this.logger.log(`Loaded ${path}.`);
    }
  }
}

@Module({ imports: [RegistrationPolicyModule], providers: [PluginHost] })
export class PluginsModule {}
