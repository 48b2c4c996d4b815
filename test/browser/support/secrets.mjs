const NAMES = new Set([
  'token',
  'refresh_token',
  'code',
  'code_verifier',
  'carrier',
  'session_id',
  'password',
  'state',
  'cli',
  'link',
  'nonce',
]);

/** States of mails, imports and bulk changes. The `state` of a sign-in is random, so it counts as a secret. */
const WORDS = new Set([
  'applying',
  'cancelled',
  'checked',
  'checking',
  'failed',
  'pending',
  'receiving',
  'running',
  'stopped',
  'undoing',
  'undone',
]);

export class Secrets {
  #values = new Set();

  /** Adds a secret. Short values, such as empty inputs, are ignored. */
  add = (value) => {
    if (typeof value === 'string' && value.length >= 6 && !WORDS.has(value)) this.#values.add(value);
  };

  /** Adds all members of a JSON value that have the name of a secret. */
  addFrom(value) {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, entry] of Object.entries(value)) {
      if (NAMES.has(name)) this.add(entry);
      if (typeof entry === 'string' && entry.startsWith('/')) this.addFromAddress(entry);
      this.addFrom(entry);
    }
  }

  addFromAddress(address) {
    const { searchParams, hash } = new URL(address, 'http://relative');
    for (const parameters of [searchParams, new URLSearchParams(hash.slice(1))]) {
      for (const [name, value] of parameters) if (NAMES.has(name)) this.add(value);
    }
  }

  get size() {
    return this.#values.size;
  }

  /** Returns the secrets that occur in a text as whole words. */
  findIn(text) {
    return [...this.#values].filter((secret) => {
      let at = text.indexOf(secret);
      for (; at >= 0; at = text.indexOf(secret, at + 1)) {
        if (!/[\w-]/.test(text[at - 1] ?? '') && !/[\w-]/.test(text[at + secret.length] ?? '')) return true;
      }
      return false;
    });
  }
}
