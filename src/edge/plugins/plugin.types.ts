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
 * Default export of `$DATA_DIR/plugins/<name>/plugin.js`. It runs once, while the service starts; if it throws, or does not settle
 * within 10 seconds, the service does not start.
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

  /**
   * Runs a hook before each record of a schema is written, in the transaction: it may change `event.values`, or refuse by
   * throwing, best an error of {@link PluginApp.defineError}. As `@BeforeWrite` of a module, and after those of modules that
   * have the same order. Only while the plugin loads.
   *
   * @param schema its name; `*` for all.
   * @throws TypeError where `hook` is no function, or the options are none.
   */
  beforeWrite(schema: string, hook: WriteHook<BeforeWriteEvent>, options?: HookOptions): void;

  /** Runs a hook after each record of a schema is written, in the transaction; see {@link PluginApp.beforeWrite}. */
  afterWrite(schema: string, hook: WriteHook<AfterWriteEvent>, options?: HookOptions): void;

  /** Runs a hook once a write is committed: the answer does not wait for it, and what it throws is logged. */
  afterCommit(schema: string, hook: WriteHook<AfterCommitEvent>, options?: HookOptions): void;

  /**
   * Defines an error of the plugin's own, to be thrown by its hooks: `throw new SoldOut()` is answered with its status, its
   * message and `data.error`.
   *
   * @param code the value of `data.error`, which is to begin with a name of the plugin's own: `acme_sold_out`.
   * @throws DefinitionError where the code, the status or the message cannot be answered.
   */
  defineError(code: string, row: ErrorRow): DefinedError;
}

/** Reaction of a plugin to a write. */
export type WriteHook<Event> = (event: Event) => unknown;
