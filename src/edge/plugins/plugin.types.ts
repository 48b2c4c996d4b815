import type { PreUserRegisterHook } from '../../identity/registration-policy/registration-input.types.js';

export type {
  PreUserRegisterHook,
  RegistrationInput,
} from '../../identity/registration-policy/registration-input.types.js';

/**
 * What `$DATA_DIR/plugins/<name>/plugin.js` exports by default. It runs once, while the service starts; where it throws, or
 * does not settle within 10 seconds, the service does not start.
 */
export type Plugin = (app: PluginApp) => void | Promise<void>;

/** The service as a plugin sees it. */
export interface PluginApp {
  /**
   * Adds a pre-registration hook. Hooks run in the order in which they are added, after the built-in policy and after the
   * hooks of modules. Only while the plugin loads.
   *
   * @throws TypeError where `hook` is no function.
   */
  onPreUserRegister(hook: PreUserRegisterHook): void;
}
