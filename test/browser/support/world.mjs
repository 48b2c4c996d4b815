import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { freePort, servedBelow, startNginx } from '../../support/nginx.cjs';
import { Mailbox } from './mailbox.mjs';
import { setBasePath } from './pages.mjs';
import { IdentityProvider } from './provider.mjs';
import { Secrets } from './secrets.mjs';
import { freeAddress, Service } from './service.mjs';
import { Visitor } from './visitor.mjs';

/** The full browser, with document viewers and media players. */
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
/** The same engine without the browser UI, which saves a fifth of the work. */
const SHELL = '/usr/bin/chromium-headless-shell';
const LEAN = process.env.CHROMIUM_PATH === undefined && existsSync(SHELL) ? SHELL : CHROMIUM;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'].concat([
  // A host name that, unlike `localhost`, is not a trustworthy origin.
  '--host-resolver-rules=MAP intranet.test 127.0.0.1',
]);
const BASE_PATH = '/backend';
export const PASSWORD = 'sturdy walnut 47';

/** Shared state of all scenarios: browser, mail server, provider and services. */
export class World {
  artifacts = fileURLToPath(new URL(`../../../${process.env.BROWSER_ARTIFACTS ?? 'artifacts'}/`, import.meta.url));
  secrets = new Secrets();
  services = [];
  providers = [];
  proxies = [];
  referers = [];
  #people = 0;
  #visitors = [];
  #whole;

  /**
   * @param {'strip'
   * 'pass'
   * undefined} below serves below a path, behind an nginx that removes the path or passes it on.
   */
  static async open(below) {
    const world = new World();
    world.below = below;
    setBasePath(below === undefined ? '' : BASE_PATH);
    rmSync(world.artifacts, { recursive: true, force: true });
    mkdirSync(world.artifacts, { recursive: true });
    world.mailbox = await new Mailbox(world.secrets.add).open();
    world.provider = await world.anotherProvider();
    world.browser = await chromium.launch({ executablePath: LEAN, args: FLAGS });
    return world;
  }

  /** Returns the full browser, for documents and films. */
  async wholeBrowser() {
    this.#whole ??= await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    return this.#whole;
  }

  /** Returns the addresses for a new service: its own, and the one for browsers. */
  async place() {
    const direct = await freeAddress();
    if (this.below === undefined) return { direct, url: direct };
    const port = await freePort();
    const upstream = Number(new URL(direct).port);
    const block = servedBelow({ port, upstream, path: BASE_PATH, strip: this.below === 'strip' });
    this.proxies.push(await startNginx([block], port));
    return { direct, url: `http://localhost:${port}${BASE_PATH}` };
  }

  async start(env = {}, place) {
    const { direct, url } = place ?? (await this.place());
    const proxy = direct === url ? {} : { APP_URL: url, TRUST_PROXY: '127.0.0.1/32' };
    const service = await Service.start(direct, { MAIL_URL: this.mailbox.url, ...proxy, ...env });
    this.services.push(service);
    return service;
  }

  async anotherProvider() {
    const provider = await new IdentityProvider(this.secrets.add).open();
    this.providers.push(provider);
    return provider;
  }

  /** Returns the value of `AUTH` for a service with this provider as `acme`. */
  auth(extra = {}) {
    return JSON.stringify({ enabled_providers: ['acme'], providers: { acme: this.provider.settings }, ...extra });
  }

  async visitor(options = {}) {
    const origins = () => [
      ...this.services.map(({ url }) => new URL(url).origin),
      ...this.providers.map(({ issuer }) => issuer),
      ...(options.origins ?? []),
    ];
    const visitor = await Visitor.open(this.browser, { ...options, secrets: this.secrets, origins });
    this.#visitors.push(visitor);
    return visitor;
  }

  newPerson() {
    this.#people += 1;
    return { email: `person${this.#people}@example.com`, username: `person${this.#people}`, password: PASSWORD };
  }

  async person(service) {
    const person = this.newPerson();
    const fields = { ...person, password_confirmation: person.password };
    const { session_id } = (await service.post('/api/auth/local/register', fields)).data;
    const { links, codes } = await this.mailbox.mailTo(person.email);
    const proof = session_id ? { session_id, code: codes[0] } : { token: new URL(links[0]).searchParams.get('token') };
    await service.post('/api/auth/local/activate', proof);
    return person;
  }

  async closeVisitors() {
    const visitors = this.#visitors.splice(0);
    const problems = await Promise.all(visitors.map((visitor) => visitor.close()));
    this.referers.push(...visitors.flatMap(({ referers }) => referers));
    return problems.flat();
  }

  async picture(name) {
    for (const [index, { page }] of this.#visitors.entries())
      await page.screenshot({ path: join(this.artifacts, `${name}-${index}.png`) }).catch(() => undefined);
  }

  async close() {
    await Promise.all([this.browser.close(), this.#whole?.close()]);
    await Promise.all(this.services.map((service) => service.stop()));
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    await Promise.all(this.providers.map((provider) => provider.close()));
    await this.mailbox.close();
  }
}
