/** A minimal browser for sign-ins: it stores cookies and follows redirects. */
export class Browser {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** @param hosts real addresses of origins that are served elsewhere */
  constructor(private readonly hosts: Readonly<Record<string, string>>) {}

  /** Opens a URL, follows redirects, and returns the URL of the first page. */
  async follow(address: string, isPage: (url: URL) => boolean): Promise<URL> {
    let url = new URL(address);
    for (let step = 0; step < 20; step += 1) {
      if (isPage(url)) return url;
      const location = await this.visit(url);
      if (location === null) return url;
      url = new URL(location, url);
    }
    throw new Error('The browser goes in circles.');
  }

  private async visit(url: URL): Promise<string | null> {
    const known = this.cookies.get(url.origin) ?? new Map<string, string>();
    this.cookies.set(url.origin, known);
    const cookie = [...known].map((pair) => pair.join('=')).join('; ');
    const served = (this.hosts[url.origin] ?? url.origin) + url.pathname + url.search;
    const answer = await fetch(served, { redirect: 'manual', headers: { accept: 'text/html', cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      known.set(name, value);
    }
    return answer.headers.get('location');
  }
}
