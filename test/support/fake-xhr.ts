/** The part of `XMLHttpRequest` that uploads use, on top of `fetch`. Paths are relative to one server. */
export class FakeXhr {
  readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  responseType = '';
  response: unknown = null;
  status = 0;
  private readonly headers: Record<string, string> = {};
  private target: [method: string, path: string] = ['', ''];

  constructor(private readonly base: string) {}

  /** Returns the class for one server. */
  static of(base: string): new () => FakeXhr {
    return class extends FakeXhr {
      constructor() {
        super(base);
      }
    };
  }

  open(method: string, path: string): void {
    this.target = [method, path];
  }

  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }

  send(body: Blob): void {
    const [method, path] = this.target;
    fetch(this.base + path, { method, headers: this.headers, body })
      .then(async (answer) => {
        this.upload.onprogress?.({ loaded: body.size, total: body.size });
        this.status = answer.status;
        this.response = await answer.json();
        this.onload?.();
      })
      .catch(() => this.onerror?.());
  }
}
