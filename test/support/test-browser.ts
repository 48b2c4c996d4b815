interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly sameSite: string;
}

export interface Page {
  /** The URL from the browser's point of view. */
  readonly address: string;
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly body: string;
}

export interface Visit {
  readonly form?: URLSearchParams;
  /** Sends the request from a page of another site: a cross-site POST includes no `SameSite=Lax` cookie. */
  readonly crossSite?: boolean;
  readonly accept?: string;
}

const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8';
const MAX_STEPS = 20;

export class TestBrowser {
  private readonly jars = new Map<string, Cookie[]>();
  readonly trail: string[] = [];

  /** @param hosts the actual server of an origin, where they differ. */
  constructor(private readonly hosts: Readonly<Record<string, string>>) {}

  async visit(address: string, { form, crossSite = false, accept = HTML }: Visit = {}): Promise<Page> {
    const url = new URL(address);
    this.trail.push(address);
    const response = await fetch(`${this.hosts[url.origin] ?? url.origin}${url.pathname}${url.search}`, {
      method: form === undefined ? 'GET' : 'POST',
      body: form,
      redirect: 'manual',
      headers: { accept, cookie: this.cookiesFor(url, crossSite && form !== undefined) },
    });
    this.keep(url, response.headers.getSetCookie());
    const location = response.headers.get('location');
    return {
      address,
      status: response.status,
      location: location === null ? null : new URL(location, address).href,
      headers: response.headers,
      body: await response.text(),
    };
  }

  /** Opens a page and follows redirects and self-submitting forms until a redirect target matches or nothing is left to follow. */
  async follow(address: string, until: RegExp = /^$/): Promise<Page> {
    let page = await this.visit(address);
    for (let step = 0; step < MAX_STEPS; step += 1) {
      if (page.location !== null) {
        if (until.test(page.location)) return page;
        page = await this.visit(page.location);
      } else {
        const form = selfSubmittingForm(page);
        if (form === null) return page;
        page = await this.visit(form.action, { form: form.fields, crossSite: true });
      }
    }
    throw new Error('The browser goes in circles.');
  }

  cookies(origin: string): readonly Cookie[] {
    return this.jars.get(origin) ?? [];
  }

  private cookiesFor({ origin, pathname }: URL, crossSitePost: boolean): string {
    return this.cookies(origin)
      .filter(({ path, sameSite }) => pathname.startsWith(path) && !(crossSitePost && sameSite !== 'none'))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  keep({ origin }: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(/;\s*/);
      const read = (key: string): string | undefined =>
        attributes.find((text) => text.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
      const name = pair.slice(0, pair.indexOf('='));
      const path = read('path') ?? '/';
      const others = this.cookies(origin).filter((cookie) => cookie.name !== name || cookie.path !== path);
      const expires = read('expires');
      const gone = read('max-age') === '0' || (expires !== undefined && Date.parse(expires) < 86_400_000);
      const cookie = {
        name,
        value: pair.slice(name.length + 1),
        path,
        sameSite: (read('samesite') ?? '').toLowerCase(),
      };
      this.jars.set(origin, gone ? others : [...others, cookie]);
    }
  }
}

function selfSubmittingForm({ body, address }: Page): { action: string; fields: URLSearchParams } | null {
  const form = /<form method="post" action="([^"]+)">(.*?)<\/form>/is.exec(body);
  if (form === null) return null;
  const fields = [...(form[2] ?? '').matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  return { action: new URL(form[1] ?? '', address).href, fields: new URLSearchParams(fields as [string, string][]) };
}
