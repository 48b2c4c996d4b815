type PasskeyMethods = typeof import('./passkey-method.js');

let methods: PasskeyMethods | undefined;

/**
 * Loads a page and the sign-in with a passkey in parallel. The page waits for both, because a button that appears later moves the links
 * below it. If the passkey part cannot be loaded, the page works without it.
 */
export function withPasskeys<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => (await Promise.all([load(), loadPasskeyMethods()]))[0];
}

export function loadedPasskeyMethods(): PasskeyMethods | undefined {
  return methods;
}

async function loadPasskeyMethods(): Promise<void> {
  methods ??= await import('./passkey-method.js').catch(() => undefined);
}
