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

/** Names of the states of mails; those of a sign-in are random. */
const WORDS = new Set(['pending', 'failed']);

/** Every token, code, verifier and password that was seen in a run. */
export class Secrets {
  #values = new Set();

  /** Notes one. Short words, such as the value of an empty input, tell nothing. */
  add = (value) => {
    if (typeof value === 'string' && value.length >= 6 && !WORDS.has(value)) this.#values.add(value);
  };

  /** Notes what bears the name of a secret, anywhere in a JSON value. */
  addFrom(value) {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, entry] of Object.entries(value)) {
      if (NAMES.has(name)) this.add(entry);
      if (typeof entry === 'string' && entry.startsWith('/')) this.addFromAddress(entry);
      this.addFrom(entry);
    }
  }

  /** Notes what bears the name of a secret in the query or the fragment of an address. */
  addFromAddress(address) {
    const { searchParams, hash } = new URL(address, 'http://relative');
    for (const parameters of [searchParams, new URLSearchParams(hash.slice(1))]) {
      for (const [name, value] of parameters) if (NAMES.has(name)) this.add(value);
    }
  }

  get size() {
    return this.#values.size;
  }

  /** Returns those that stand in a text as a word of their own. */
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
