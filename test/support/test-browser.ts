/** A cookie as a browser keeps it. */
interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly sameSite: string;
}

/** One answer that a browser got. */
export interface Page {
  /** The address as the browser knows it. */
  readonly address: string;
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly body: string;
}

/** Options of opening one page. */
export interface Visit {
  readonly form?: URLSearchParams;
  /** The request comes from a page of another site: a posted form brings no `SameSite=Lax` cookie then. */
  readonly crossSite?: boolean;
  readonly accept?: string;
}

const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8';
const MAX_STEPS = 20;

/** A browser as far as logins need one: cookies, redirects, and forms that submit themselves. */
export class TestBrowser {
  private readonly jars = new Map<string, Cookie[]>();
  /** Every address that was asked, in order. */
  readonly trail: string[] = [];

  /** @param hosts where an origin is really served, where that is elsewhere. */
  constructor(private readonly hosts: Readonly<Record<string, string>>) {}

  /** Opens one page and follows nothing. */
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

  /** Opens a page and goes on by redirects and self-submitting forms, until an address matches or there is no further one. */
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

  /** Returns the cookies of an origin. */
  cookies(origin: string): readonly Cookie[] {
    return this.jars.get(origin) ?? [];
  }

  private cookiesFor({ origin, pathname }: URL, crossSitePost: boolean): string {
    return this.cookies(origin)
      .filter(({ path, sameSite }) => pathname.startsWith(path) && !(crossSitePost && sameSite !== 'none'))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  /** Keeps the cookies of an answer that something else than this browser fetched for it. */
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
