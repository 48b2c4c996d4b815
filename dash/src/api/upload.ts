/** Reports the sent fraction of a file, from 0 to 1. */
export type OnSent = (part: number) => void;

interface Upload {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Blob;
  readonly timeoutMs: number;
  readonly onSent: OnSent;
}

/**
 * Uploads a file like `fetch`, but reports the progress, which `fetch` does not support.
 *
 * @throws TypeError if the service was not reached, or if the response was redirected.
 */
export function upload(path: string, { method, headers, body, timeoutMs, onSent }: Upload): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    request.responseType = 'blob';
    request.timeout = timeoutMs;
    headers.forEach((value, name) => request.setRequestHeader(name, value));
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      const { status, responseURL } = request;
      // Redirects are followed silently. The service never redirects an upload.
      if (responseURL !== new URL(path, location.origin).href) reject(new TypeError('The answer came from elsewhere.'));
      else
        resolve(
          new Response(isWithoutBody(status) ? null : (request.response as Blob), {
            status,
            headers: headersOf(request),
          }),
        );
    };
    request.onerror = request.ontimeout = request.onabort = () => reject(new TypeError('The service was not reached.'));
    request.send(body);
  });
}

const isWithoutBody = (status: number): boolean => status === 204 || status === 304;

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}
