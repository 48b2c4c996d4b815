/** Console errors about responses that the test causes, including 503 (busy service) and 507 (quota exceeded). */
const EXPECTED =
  /Failed to load resource: the server responded with a status of (?:4\d\d|503|507)|net::ERR_(ABORTED|CONNECTION_REFUSED)/;
/** Over HTTP, browsers ignore this header on every host except localhost. */
const OVER_HTTP = /^The Cross-Origin-Opener-Policy header has been ignored, because the URL's origin was untrustworthy/;
/** An app stops listening once it has its code; the browser may still request its favicon. */
const GONE = /net::ERR_CONNECTION_RESET/;

const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';

/** Timeout for hanging pages, not a speed limit: on a busy machine a page takes ten times as long. */
const HANGS_MS = 60_000;

/** A separate browser context. All its activity is watched. */
export class Visitor {
  /** Page problems: policy violations, uncaught errors, and requests to other origins. */
  problems = [];
  referers = [];
  #context;
  #secrets;
  #pending = [];

  /** @param origins the allowed request targets. */
  static async open(browser, { secrets, origins, ...options }) {
    const visitor = new Visitor();
    visitor.#secrets = secrets;
    visitor.#context = await browser.newContext({
      locale: 'en-GB',
      userAgent: USER_AGENT,
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    visitor.#context.setDefaultTimeout(HANGS_MS);
    visitor.#watch(origins);
    visitor.page = await visitor.#context.newPage();
    return visitor;
  }

  newPage() {
    return this.#context.newPage();
  }

  async close() {
    // The browser reports nothing about requests that outlive their page.
    await Promise.race([Promise.allSettled(this.#pending), new Promise((resolve) => setTimeout(resolve, 3_000))]);
    for (const { name, value } of await this.#context.cookies()) {
      if (name.includes('oauth_state')) this.#secrets.add(value);
    }
    await this.#context.close();
    return this.problems;
  }

  #watch(origins) {
    const context = this.#context;
    context.on('console', (message) => {
      const text = message.text();
      const { url } = message.location();
      const isFavicon = URL.canParse(url) && new URL(url).pathname === '/favicon.ico';
      if (message.type() !== 'error' || EXPECTED.test(text) || OVER_HTTP.test(text) || (isFavicon && GONE.test(text)))
        return;
      this.problems.push(`console: ${text} ${url}`);
    });
    context.on('weberror', (fault) => this.problems.push(`not caught: ${fault.error().message}`));
    context.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && !origins().includes(origin)) this.problems.push(`asked ${request.url()}`);
      this.#note(request.allHeaders().then(({ referer }) => referer !== undefined && this.referers.push(referer)));
      this.#secrets.addFromAddress(request.url());
      this.#noteBody(request);
    });
    context.on('response', (response) => {
      const { location } = response.headers();
      if (location !== undefined) this.#secrets.addFromAddress(location);
      if (response.ok() && new URL(response.url()).pathname.includes('/api/'))
        this.#note(response.json().then((body) => this.#secrets.addFrom(body)));
    });
  }

  #noteBody(request) {
    const body = request.postData();
    if (body === null) return;
    if (body.startsWith('{')) this.#secrets.addFrom(JSON.parse(body));
    else this.#secrets.addFromAddress(`/?${body}`);
  }

  #note(promise) {
    this.#pending.push(promise.catch(() => undefined));
  }
}
