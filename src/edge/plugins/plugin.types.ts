import type { AfterCommitEvent, AfterWriteEvent, BeforeWriteEvent } from '../../identity/records/record-event.types.js';
import type { HookOptions } from '../../identity/records/record-hooks.decorators.js';
import type { PreUserRegisterHook } from '../../identity/registration-policy/registration-input.types.js';
import type { DefinedError } from '../../kernel/errors/define-error.js';
import type { ErrorRow } from '../../kernel/errors/error-catalogue.js';

export type { AfterCommitEvent, AfterWriteEvent, BeforeWriteEvent } from '../../identity/records/record-event.types.js';
export type { HookOptions } from '../../identity/records/record-hooks.decorators.js';
export type {
  PreUserRegisterHook,
  RegistrationInput,
} from '../../identity/registration-policy/registration-input.types.js';

/**
 * Default export of `$DATA_DIR/plugins/<name>/plugin.js`. It runs once during the start. The server does not start if it throws or does not
 * settle within 10 seconds.
 */
export type Plugin = (app: PluginApp) => void | Promise<void>;

/** API of the server for plugins. */
export interface PluginApp {
  /**
   * Adds a pre-registration hook. Hooks run in the order in which they were added, after the built-in policy and the hooks of modules. Only
   * callable while the plugin loads.
   *
   * @throws TypeError if `hook` is not a function.
   */
  onPreUserRegister(hook: PreUserRegisterHook): void;

  /**
   * Runs a hook before each record of a schema is written, in the transaction. It can change `event.values`, or refuse the write by
   * throwing, preferably an error of {@link PluginApp.defineError}. It works like `@BeforeWrite` of a module, and runs after those of
   * modules with the same order. Only callable while the plugin loads.
   *
   * @param schema its name; `*` for all.
   * @throws TypeError if `hook` is not a function, or the options are invalid.
   */
  beforeWrite(schema: string, hook: WriteHook<BeforeWriteEvent>, options?: HookOptions): void;

  /** Runs a hook after each record of a schema is written, in the transaction; see {@link PluginApp.beforeWrite}. */
  afterWrite(schema: string, hook: WriteHook<AfterWriteEvent>, options?: HookOptions): void;

  /** Runs a hook after a write is committed. The response does not wait for it, and its errors are logged. */
  afterCommit(schema: string, hook: WriteHook<AfterCommitEvent>, options?: HookOptions): void;

  /**
   * Defines an error for the plugin's hooks: `throw new SoldOut()` returns its status, its message and `data.error`.
   *
   * @param code the value of `data.error`. It should start with a name of the plugin: `acme_sold_out`.
   * @throws DefinitionError if the code, the status or the message is invalid.
   */
  defineError(code: string, row: ErrorRow): DefinedError;
}

/** A hook of a plugin that runs before, after or on commit of a write. */
export type WriteHook<Event> = (event: Event) => unknown;
